import asyncio


async def half(n):
    await asyncio.sleep(0)
    return n // 2


class Guard:
    async def __aenter__(self):
        return 4

    async def __aexit__(self, *error):
        return False


async def numbers():
    for i in range(2):
        yield i


async def run():
    async with Guard() as n:
        n = await half(n)
    async for i in numbers():
        n += i
    return n


def main():
    return asyncio.run(run())
