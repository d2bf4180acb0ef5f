; GT302 loader-not-pinned with-run
; title: batches come from pageable memory
; why: a copy to the device from pageable memory goes through a second buffer and cannot run beside the host
; fix: pin_memory=True in the loader, and non_blocking=True where its batches go to the device
; priced-by: pageable-copy
((call function: (_) @loader arguments: (argument_list) @arguments) @hit
 (#is? @loader "torch.utils.data.DataLoader" "torch.utils.data.dataloader.DataLoader")
 (#lacks? @arguments "pin_memory" "generator") (#passes? @arguments "num_workers")
 (#not-default-is? @arguments "num_workers" "0")
 (#for-training? @hit) (#not-in-test? @hit) (#not-iterated-once? @hit)
 (#job-has? "backward" "training_step") (#job-has? "cuda" "gpu" "gpus" "cuda:0" "cuda:" "accelerator" "Accelerator" "LightningModule") (#job-has? "torchvision" "PIL" "cv2" "librosa" "torchaudio" "soundfile" "albumentations" "imageio" "skimage" "timm" "ImageFolder" "AutoImageProcessor" "AutoFeatureExtractor")
 (#job-has? "<moves batches>") (#not-job-has? "<joins batches>" "<loads to device>" "Accelerator" "LightningModule" "LightningDataModule" "Fabric" "TrainingArguments" "deepspeed")
 (#set-argument! @arguments "pin_memory" "True"))
