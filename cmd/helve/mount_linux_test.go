package main

import "syscall"

// mountSmall mounts a file system in memory, with less room than the streams' bounds.
func mountSmall(dir string) error { return syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=300m") }

func unmount(dir string) error { return syscall.Unmount(dir, 0) }
