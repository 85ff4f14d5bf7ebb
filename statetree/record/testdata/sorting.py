def quick(nums):
    if len(nums) < 2:
        return nums
    pivot = nums[0]
    low = [n for n in nums[1:] if n < pivot]
    high = [
        n
        for n in nums[1:]
        if n >= pivot
    ]
    return quick(low) + [pivot] + quick(high)


def bubble(nums):
    for i in range(len(nums)):
        for j in range(len(nums) - 1 - i):
            if nums[j] > nums[j + 1]:
                nums[j], nums[j + 1] = nums[j + 1], nums[j]
    return nums
