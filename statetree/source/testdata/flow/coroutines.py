# entries: main()
import asyncio


class Resource:
    async def __aenter__(self):
        await asyncio.sleep(0)
        return self

    async def __aexit__(self, *args):
        return False


async def ticks(n):
    for i in range(n):
        yield i
        await asyncio.sleep(0)


async def add(a, b):
    await asyncio.sleep(0)
    return a + b


async def work():
    async with Resource() as r:
        total = await add(1, 2)
    async for t in ticks(2):
        total += t
    else:
        total += 1
    xs = [t async for t in ticks(2)]
    a, b = await asyncio.gather(add(1, 2), add(3, 4))
    return total + a + b


def main():
    return asyncio.run(work())
