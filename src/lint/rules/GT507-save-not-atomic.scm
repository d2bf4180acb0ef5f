; GT507 save-not-atomic off
; title: the only checkpoint is overwritten in place
; why: a crash while torch.save writes leaves half a file, and the whole one before it is gone: the run starts anew
; fix: torch.save to path + ".tmp", then os.replace(path + ".tmp", path)
((call function: (_) @function
       arguments: (argument_list . (_) @state . [(string) (identifier) (attribute) (call) (binary_operator)] @path)) @hit
 (#is? @function "torch.save")
 (#value-has? @state "optim" "scheduler" "epoch" "iter" "step")
 (#constant? @path)
 (#in-epochs?)
 (#job-has? "load_state_dict" "resume")
 (#not-job-has? "replace" "rename" "move" "copyfile" "copy2" "symlink" "link"))
