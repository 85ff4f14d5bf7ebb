;;; neuraldbg.el --- neuraldbg in Emacs, through dape  -*- lexical-binding: t -*-

;; Load this file, and then in a Python buffer:
;;
;;     M-x dape RET neuraldbg :entry "count('berry', 'r')" RET
;;
;; Without :entry the whole file is debugged.  dape has no commands for going
;; backward; in its REPL, type back, rc or inputs.

(require 'dape)

(add-to-list 'dape-configs
             '(neuraldbg
               modes (python-mode python-ts-mode)
               ensure dape-ensure-command
               command "neuraldbg"
               command-args ("dap")
               command-cwd dape-command-cwd
               :type "neuraldbg"
               :request "launch"
               :program dape-buffer-default))

;;; neuraldbg.el ends here
