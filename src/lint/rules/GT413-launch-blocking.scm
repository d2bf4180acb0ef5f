; GT413 launch-blocking
; title: CUDA_LAUNCH_BLOCKING is left on
; why: the host waits for each kernel before it launches the next one, so that the device idles between them
; fix: set it in the shell while an error is searched, not in the program
; priced-by: process-settings host-wait launch-bound
((assignment left: (subscript value: (_) @environ subscript: (string (string_content) @name)) right: (string (string_content) @value)) @hit
 (#is? @environ "os.environ") (#eq? @name "CUDA_LAUNCH_BLOCKING") (#eq? @value "1")
 (#not-conditional? @hit) (#delete! @hit))
