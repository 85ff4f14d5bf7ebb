--- A session in a real Neovim: test.sh starts it. Exits with a status.

local command, program, trace = vim.env.NEURALDBG, vim.env.PROGRAM, vim.env.TRACE

--- How long to wait for what comes at once unless there is a bug, in ms.
local patience = 30000

local function check(wanted, got, what)
  if not vim.deep_equal(wanted, got) then
    error(("%s: wanted %s, got %s"):format(what, vim.inspect(wanted), vim.inspect(got)), 2)
  end
end

--- Waits for something, and returns it.
local function wait_for(what, get)
  local got
  vim.wait(patience, function()
    got = get()
    return got
  end, 10)
  return assert(got, what .. " did not come")
end

--- The frame that the session shows, when the values of its scopes have come.
local function shown_frame()
  local session = require("dap").session()
  local frame = session and session.stopped_thread_id and session.current_frame
  local scope = frame and frame.scopes and frame.scopes[1]
  return scope and scope.variables and frame
end

--- Moves, and returns the frame at which the session stops then.
local function stopped_after(what, move)
  local before = shown_frame()
  move()
  return wait_for("the stop after " .. what, function()
    local frame = shown_frame()
    return frame ~= before and frame
  end)
end

local function locals(frame)
  local values = {}
  for _, variable in pairs(frame.scopes[1].variables) do
    values[variable.name] = variable.value
  end
  return values
end

local function test()
  local dap = require("dap")
  require("neuraldbg").setup({ command = command, model = "replay:" .. trace })
  vim.cmd("edit " .. vim.fn.fnameescape(program))
  vim.bo.filetype = "python"
  local problems = {}
  local notify = vim.notify
  vim.notify = function(message, level, ...)
    if level and level >= vim.log.levels.WARN then
      table.insert(problems, message)
    end
    return notify(message, level, ...)
  end

  -- Forward to a breakpoint, as a user does it: at the cursor, then continue.
  vim.api.nvim_win_set_cursor(0, { 4, 0 })
  dap.toggle_breakpoint()
  vim.fn.input = function()
    return "main()"
  end
  local frame = stopped_after("launch", function()
    dap.run(dap.configurations.python[1])
  end)
  check(7, frame.line, "the entry's line")
  frame = stopped_after("continue", dap.continue)
  check(4, frame.line, "the breakpoint's line")
  check({ s = "'berry'", t = "'r'", n = "0", c = "'b'" }, locals(frame), "locals at the breakpoint")
  check(4, vim.api.nvim_win_get_cursor(0)[1], "the cursor's line")

  -- Over, and back; then back to the breakpoint before.
  frame = stopped_after("step over", dap.step_over)
  check(3, frame.line, "the line after a step")
  frame = stopped_after("continue", dap.continue)
  check({ 4, "'e'" }, { frame.line, locals(frame).c }, "the second time at the breakpoint")
  frame = stopped_after("step back", dap.step_back)
  check(3, frame.line, "the line before")
  frame = stopped_after("reverse continue", dap.reverse_continue)
  check({ 4, "'b'" }, { frame.line, locals(frame).c }, "the breakpoint before")

  local answer
  dap.session():evaluate("s", function(err, response)
    answer = err and tostring(err) or response.result
  end)
  check("'berry'", wait_for("the answer to evaluate", function() return answer end), "evaluate")
  dap.terminate()
  wait_for("the end after terminate", function() return dap.session() == nil end)

  -- Backward: what was count called with, when it returned 2?
  vim.api.nvim_win_set_cursor(0, { 5, 0 })
  vim.cmd("NeuraldbgInfer 2")
  frame = wait_for("the call of count", function()
    local now = shown_frame()
    return now and now.line == 1 and now
  end)
  check({ s = "'berry'", t = "'r'" }, locals(frame), "the inferred inputs")
  dap.disconnect()
  wait_for("the end after disconnect", function() return dap.session() == nil end)
  check({}, problems, "warnings that Neovim showed")
end

local ok, err = xpcall(test, debug.traceback)
if ok then
  print("nvim-dap: a session forward and backward, as expected\n")
  vim.cmd("qall!")
else
  print(err .. "\n")
  vim.cmd("cquit 1")
end
