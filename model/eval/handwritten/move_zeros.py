def move_zeros(nums):
    place = 0
    for i in range(len(nums)):
        if nums[i] != 0:
            nums[place], nums[i] = nums[i], nums[place]
            place += 1
    return nums


assert move_zeros([0, 1, 0, 3]) == [1, 3, 0, 0]
assert move_zeros([2, 1]) == [2, 1]
assert move_zeros([0]) == [0]
