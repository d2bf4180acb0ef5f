; GT301 loader-no-workers with-run
; title: batches are loaded by the process that trains
; why: without workers every sample is read, decoded and collated between two steps, while the device waits
; fix: give the loader num_workers (about the cores of this machine per process) and persistent_workers=True
; priced-by: input-bound collate-work
((call function: (_) @loader arguments: (argument_list) @arguments) @hit
 (#is? @loader "torch.utils.data.DataLoader" "torch.utils.data.dataloader.DataLoader")
 (#lacks? @arguments "num_workers") (#not-positional? @arguments "6")
 (#for-training? @hit) (#not-in-test? @hit) (#not-iterated-once? @hit) (#not-derives? @arguments "TensorDataset" "list")
 (#job-has? "backward" "training_step") (#job-has? "cuda" "gpu" "gpus" "cuda:0" "cuda:" "accelerator" "Accelerator" "LightningModule")
 (#not-job-has? "IterableDataset" "IterDataPipe") (#job-has? "torchvision" "PIL" "cv2" "librosa" "torchaudio" "soundfile" "albumentations" "imageio" "skimage" "timm" "ImageFolder" "AutoImageProcessor" "AutoFeatureExtractor"))

((call function: (_) @loader arguments: (argument_list) @arguments) @hit
 (#is? @loader "torch.utils.data.DataLoader" "torch.utils.data.dataloader.DataLoader")
 (#passes? @arguments "num_workers" "0")
 (#for-training? @hit) (#not-in-test? @hit) (#not-iterated-once? @hit) (#not-derives? @arguments "TensorDataset" "list")
 (#job-has? "backward" "training_step") (#job-has? "cuda" "gpu" "gpus" "cuda:0" "cuda:" "accelerator" "Accelerator" "LightningModule")
 (#not-job-has? "IterableDataset" "IterDataPipe") (#job-has? "torchvision" "PIL" "cv2" "librosa" "torchaudio" "soundfile" "albumentations" "imageio" "skimage" "timm" "ImageFolder" "AutoImageProcessor" "AutoFeatureExtractor"))
