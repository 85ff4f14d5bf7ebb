--- neuraldbg in Neovim, through nvim-dap (https://codeberg.org/mfussenegger/nvim-dap).
---
--- Put this file into a `lua` folder of your 'runtimepath', such as
--- ~/.config/nvim/lua, and call
---
---     require("neuraldbg").setup()
---
--- Then, in a Python file: `:DapContinue` offers the configurations below, and
--- `:NeuraldbgInfer 2` asks, with the cursor on a `return`, with which arguments
--- the function would have returned 2. nvim-dap maps no keys; for the way back:
---
---     vim.keymap.set("n", "<S-F10>", require("dap").step_back)
---     vim.keymap.set("n", "<S-F5>", require("dap").reverse_continue)

local M = {}

--- What a launch is, whatever is debugged.
---@param options {model: string?}
---@param more table
local function configuration(options, more)
  local common = {
    type = "neuraldbg",
    request = "launch",
    program = "${file}",
    model = options.model,
  }
  return vim.tbl_extend("force", common, more)
end

--- Asks for a line; nothing typed ends the launch.
local function ask(prompt)
  return function()
    local answer = vim.fn.input(prompt)
    return answer ~= "" and answer or require("dap").ABORT
  end
end

--- Begins where the function at the cursor returns a value, given as Python's
--- repr writes it, and goes back to the arguments of its call.
---@param value string
---@param options {model: string?}
function M.infer(value, options)
  local dap = require("dap")
  local key = "neuraldbg-infer"
  -- nvim-dap knows that it is stopped once it has asked for the stack.
  dap.listeners.after.stackTrace[key] = function()
    dap.listeners.after.stackTrace[key] = nil
    dap.reverse_continue()
  end
  dap.run(configuration(options or {}, {
    name = "neuraldbg: infer inputs",
    from = { event = "return", line = vim.fn.line("."), value = value },
  }))
end

--- Tells nvim-dap about the adapter and adds configurations for Python files.
---@param options {command: string?, model: string?}?
---  command: path of neuraldbg; otherwise it is looked for in PATH.
---  model: "nano", a checkpoint folder, or "replay:TRACE"; otherwise nano.
function M.setup(options)
  options = options or {}
  local dap = require("dap")
  local command = options.command or "neuraldbg"
  dap.adapters.neuraldbg = function(run)
    if vim.fn.executable(command) == 0 then
      vim.notify(
        command .. " was not found: build it with make build, and put its folder in PATH"
          .. " or give setup() the command",
        vim.log.levels.ERROR
      )
      return
    end
    run({ type = "executable", command = command, args = { "dap" } })
  end

  dap.configurations.python = dap.configurations.python or {}
  vim.list_extend(dap.configurations.python, {
    configuration(options, {
      name = "neuraldbg: predict a call",
      entry = ask("Call, such as count('berry', 'r'): "),
    }),
    configuration(options, { name = "neuraldbg: predict this file" }),
  })
  vim.api.nvim_create_user_command("NeuraldbgInfer", function(arguments)
    M.infer(arguments.args, options)
  end, { nargs = 1, desc = "Infer the inputs for a returned value, given as repr" })
end

return M
