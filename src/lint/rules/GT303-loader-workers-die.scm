; GT303 loader-workers-die with-run
; title: the loader's workers are started anew in every epoch
; why: each epoch begins with starting the workers, copying the dataset to them and filling the queue, while the device waits
; fix: persistent_workers=True in the loader
; needs: torch 1
; priced-by: input-bound
((call function: (_) @loader
       arguments: (argument_list
        (keyword_argument name: (identifier) @name value: (_) @workers)) @arguments) @hit
 (#is? @loader "torch.utils.data.DataLoader" "torch.utils.data.dataloader.DataLoader")
 (#eq? @name "num_workers") (#at-least? @workers "1")
 (#lacks? @arguments "persistent_workers")
 (#for-training? @hit) (#not-in-test? @hit) (#not-iterated-once? @hit) (#not-in-loop? @hit)
 (#job-has? "backward" "training_step")
 (#job-has? "epoch" "epochs" "num_epochs" "n_epochs" "max_epochs" "nepoch" "EPOCHS" "NUM_EPOCHS" "max_epoch" "n_epoch" "num_epoch" "total_epochs")
 (#not-job-has? "persistent_workers")
 (#set-argument! @arguments "persistent_workers" "True"))
