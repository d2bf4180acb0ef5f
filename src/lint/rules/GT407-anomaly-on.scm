; GT407 anomaly-on
; title: anomaly detection is left on
; why: each operation records a stack trace and each gradient is searched for NaN, which stops the host; steps take several times as long
; fix: switch it on by a flag while a NaN is searched, and off otherwise
; priced-by: process-settings host-wait
((call function: (_) @call arguments: (argument_list) @arguments) @hit
 (#is? @call "torch.autograd.set_detect_anomaly" "torch.autograd.anomaly_mode.set_detect_anomaly")
 (#any-of? @arguments "(True)" "(mode=True)") (#not-conditional? @hit) (#not-in-test? @hit)
 (#job-has? "backward" "training_step")
 (#replace! @arguments "(False)"))

((with_item value: (call function: (_) @call arguments: (argument_list) @arguments) @hit)
 (#is? @call "torch.autograd.detect_anomaly" "torch.autograd.anomaly_mode.detect_anomaly" "torch.autograd.set_detect_anomaly")
 (#any-of? @arguments "()" "(True)") (#not-conditional? @hit) (#not-in-test? @hit)
 (#job-has? "backward" "training_step"))

((call function: (_) @call arguments: (argument_list) @arguments) @hit
 (#is? @call "pytorch_lightning.Trainer" "lightning.Trainer" "lightning.pytorch.Trainer")
 (#passes? @arguments "detect_anomaly" "True") (#not-conditional? @hit) (#not-in-test? @hit)
 (#drop-argument! @arguments "detect_anomaly"))
