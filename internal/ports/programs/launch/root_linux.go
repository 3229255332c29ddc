package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/helve-dev/helve/tool"
)

// builder builds a root directory that contains what the program may see, under the
// host's names. Everything else cannot be named: neither files nor sockets of other
// programs.
type builder struct {
	job *Job
	top string
	err error
}

// buildRoot makes it the root of this process.
func (j *Job) buildRoot() *Report {
	b := &builder{job: j, top: j.Private + "/root"}
	b.step("mount private", unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	b.step("mount tmpfs", unix.Mount("tmpfs", b.top, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "size=4m,nr_inodes=8k,mode=755"))
	for _, path := range j.shown() {
		b.system(path)
	}
	b.etc()
	b.devices()
	b.proc()
	for _, name := range []string{"home", "tmp", "shm"} {
		b.tree(j.Private+"/"+name, inside+"/"+name, false)
	}
	failure := b.workspace()
	b.link(inside+"/tmp", "/tmp") // unless the workspace is there, as below
	b.link(inside+"/shm", "/dev/shm")
	if b.err != nil {
		return failureReport(tool.NotConfigured, unconfinable, b.err)
	}
	if failure != nil {
		return failure
	}
	if err := enterRoot(b.top); err != nil {
		return failureReport(tool.NotConfigured, unconfinable, err)
	}
	return nil
}

// enterRoot switches to the new root, and makes the root's own directories read-only.
func enterRoot(top string) error {
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"chdir", func() error { return unix.Chdir(top) }},
		{"pivot_root", func() error { return unix.PivotRoot(".", ".") }},
		{"umount", func() error { return unix.Unmount(".", unix.MNT_DETACH) }},
		{"chdir", func() error { return unix.Chdir("/") }},
		{"mount_setattr", func() error {
			return unix.MountSetattr(unix.AT_FDCWD, "/", 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
		}},
	} {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return nil
}

func (b *builder) step(name string, err error) {
	if b.err == nil && err != nil {
		b.err = fmt.Errorf("%s: %w", name, err)
	}
}

// system mounts a path of the host, if it exists. A link stays a link if its target is
// visible as well.
func (b *builder) system(path string) {
	info, err := os.Lstat(path)
	if err != nil {
		return
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := filepath.EvalSymlinks(path)
		if err != nil {
			return
		}
		if Covers(b.job.shown(), target, path) {
			text, err := os.Readlink(path)
			b.step("readlink", err)
			b.link(text, path)
			return
		}
	}
	b.tree(path, path, true)
}

// Covers reports whether target is one of trees, or below one, ignoring except.
func Covers(trees []string, target, except string) bool {
	for _, tree := range trees {
		if tree != except && (target == tree || strings.HasPrefix(target, strings.TrimSuffix(tree, "/")+"/")) {
			return true
		}
	}
	return false
}

// tree mounts source, with everything below it, at target.
func (b *builder) tree(source, target string, readOnly bool) {
	if b.err != nil {
		return
	}
	fd, err := unix.OpenTree(unix.AT_FDCWD, source, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil {
		b.step("open_tree "+source, err)
		return
	}
	defer unix.Close(fd)
	b.place(fd, target, unix.MOUNT_ATTR_NODEV, readOnly)
}

// place mounts a tree created by open_tree.
func (b *builder) place(fd int, target string, attributes uint64, readOnly bool) {
	var st unix.Stat_t
	b.step("stat", unix.Fstat(fd, &st))
	attributes |= unix.MOUNT_ATTR_NOSUID
	if readOnly {
		attributes |= unix.MOUNT_ATTR_RDONLY
	}
	b.step("mount_setattr "+target, unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: attributes}))
	b.target(target, st.Mode&unix.S_IFMT == unix.S_IFDIR)
	if b.err == nil {
		b.step("move_mount "+target, unix.MoveMount(fd, "", unix.AT_FDCWD, b.top+target, unix.MOVE_MOUNT_F_EMPTY_PATH))
	}
}

// target creates the mount point of a tree.
func (b *builder) target(path string, dir bool) {
	if b.err != nil {
		return
	}
	if dir {
		b.step("mkdir", os.MkdirAll(b.top+path, 0o755))
		return
	}
	b.step("mkdir", os.MkdirAll(filepath.Dir(b.top+path), 0o755))
	f, err := os.OpenFile(b.top+path, os.O_CREATE|os.O_RDONLY, 0o600)
	if err != nil {
		b.step("create", err)
		return
	}
	f.Close()
}

// link creates a link, unless the name exists.
func (b *builder) link(text, path string) {
	if b.err != nil {
		return
	}
	b.step("mkdir", os.MkdirAll(filepath.Dir(b.top+path), 0o755))
	if err := os.Symlink(text, b.top+path); !errors.Is(err, fs.ErrExist) {
		b.step("symlink", err)
	}
}

// devices creates the devices that programs expect.
func (b *builder) devices() {
	for _, path := range devices {
		fd, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
		if errors.Is(err, unix.ENOENT) {
			continue
		}
		if err != nil {
			b.step("open_tree "+path, err)
			return
		}
		b.place(fd, path, unix.MOUNT_ATTR_NOEXEC, false)
		unix.Close(fd)
	}
	for name, text := range map[string]string{"fd": "", "stdin": "/0", "stdout": "/1", "stderr": "/2"} {
		b.link("/proc/self/fd"+text, "/dev/"+name)
	}
}

// proc mounts /proc of the pid namespace. The kernel refuses this if parts of the
// host's own /proc are hidden, as in many containers; programs then see a few files
// about the machine.
func (b *builder) proc() {
	if b.err != nil {
		return
	}
	b.target("/proc", true)
	if b.job.Pids {
		err := unix.Mount("proc", b.top+"/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC|unix.MS_RDONLY, "")
		if err == nil {
			return
		}
	}
	for _, path := range machine {
		if _, err := os.Stat(path); err == nil {
			b.tree(path, path, true)
		}
	}
}

// workspace mounts the parts of the workspace that the program may use.
func (b *builder) workspace() *Report {
	if b.err != nil {
		return nil
	}
	top, err := openBelow(unix.AT_FDCWD, b.job.Workspace, unix.O_DIRECTORY, 0)
	if err != nil {
		return failureReport(tool.Internal, "The workspace cannot be opened", err)
	}
	defer unix.Close(top)
	b.target(b.job.Workspace, true)
	for _, grant := range b.job.Grants {
		fd, failure := openGrant(top, grant)
		if failure != nil {
			return failure
		}
		if fd < 0 {
			continue
		}
		clone, err := unix.OpenTree(fd, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_EMPTY_PATH|unix.AT_RECURSIVE)
		unix.Close(fd)
		if err != nil {
			b.step("open_tree", err)
			return nil
		}
		b.place(clone, filepath.Join(b.job.Workspace, grant), unix.MOUNT_ATTR_NODEV, b.job.ReadOnly)
		unix.Close(clone)
	}
	return nil
}
