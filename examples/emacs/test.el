;;; test.el --- a session in a real Emacs: test.sh starts it  -*- lexical-binding: t -*-

;; Exits with a status.  Names with two hyphens are dape's own; its public ones
;; are commands, which say nothing of where a session is.

(require 'cl-lib)
(load (expand-file-name "neuraldbg.el" (file-name-directory load-file-name)))

(defconst neuraldbg-test-patience 60
  "How long to wait for what comes at once unless there is a bug, in seconds.")

(defun neuraldbg-test-wait (what get)
  "Wait until GET returns something, and return that; WHAT says what it is."
  (let ((deadline (+ (float-time) neuraldbg-test-patience)) got)
    (while (not (setq got (funcall get)))
      (when (> (float-time) deadline)
        (error "%s did not come" what))
      (accept-process-output nil 0.05))
    got))

(defun neuraldbg-test-frame ()
  "The frame that the session shows, when it is stopped."
  (when-let* ((conn (dape--live-connection 'stopped t)))
    (dape--current-stack-frame conn)))

(defun neuraldbg-test-stop (what move)
  "Do MOVE, named WHAT, and return the function and line where the session stops."
  (let ((before (plist-get (neuraldbg-test-frame) :id)))
    (funcall move)
    (let ((frame (neuraldbg-test-wait
                  (format "the stop after %s" what)
                  (lambda ()
                    (let ((frame (neuraldbg-test-frame)))
                      (and frame (not (equal before (plist-get frame :id))) frame))))))
      (format "%s:%s" (plist-get frame :name) (plist-get frame :line)))))

(defun neuraldbg-test-check (what wanted got)
  "Fail when GOT, named WHAT, is not WANTED."
  (unless (equal wanted got)
    (error "%s: wanted %S, got %S" what wanted got)))

(defun neuraldbg-test-evaluate (expression)
  "The value of EXPRESSION in the frame that is shown."
  (let (value (conn (dape--live-connection 'stopped)))
    (dape--evaluate-expression conn (plist-get (neuraldbg-test-frame) :id) expression "repl"
                               (lambda (body &optional error)
                                 (setq value (or error (plist-get body :result)))))
    (neuraldbg-test-wait expression (lambda () value))))

(defun neuraldbg-test-type (line)
  "Type LINE in the REPL of the session."
  (dape-evaluate-expression (dape--live-connection 'stopped) line))

(defun neuraldbg-test ()
  "A session on count_berry.py, forward and backward."
  (find-file (getenv "PROGRAM"))
  (python-mode)
  (goto-char (point-min))
  (search-forward "n += int")
  (dape-breakpoint-toggle)
  (pcase-let ((`(,key ,options)
               (dape--config-from-string
                (format "neuraldbg :entry \"main()\" :model \"replay:%s\"" (getenv "TRACE")))))
    (neuraldbg-test-check
     "the start" "main (call):7"
     (neuraldbg-test-stop "the start" (lambda () (dape (dape--config-eval key options))))))
  (neuraldbg-test-check
   "the breakpoint" "count:4"
   (neuraldbg-test-stop "continue" (lambda () (dape-continue (dape--live-connection 'stopped)))))
  (neuraldbg-test-check "c" "'b'" (neuraldbg-test-evaluate "c"))
  (neuraldbg-test-check "n + len(s)" "5" (neuraldbg-test-evaluate "n + len(s)"))
  (neuraldbg-test-check
   "the next line" "count:3"
   (neuraldbg-test-stop "next" (lambda () (dape-next (dape--live-connection 'stopped)))))
  (neuraldbg-test-check
   "the caller" "main (return):8"
   (neuraldbg-test-stop "out" (lambda () (dape-step-out (dape--live-connection 'stopped)))))
  (neuraldbg-test-check
   "the state before" "count (return):5"
   (neuraldbg-test-stop "back" (lambda () (neuraldbg-test-type "back"))))
  (neuraldbg-test-check
   "the breakpoint, backward" "count:4"
   (neuraldbg-test-stop "rc" (lambda () (neuraldbg-test-type "rc"))))
  (dape-quit)
  (neuraldbg-test-wait "the end" (lambda () (not (dape--live-connection 'parent t)))))

(condition-case failure
    (neuraldbg-test)
  (error
   (message "dape: %s" (error-message-string failure))
   (kill-emacs 1)))
(message "dape: passed")

;;; test.el ends here
