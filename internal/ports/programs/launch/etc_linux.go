package launch

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// account is the name of a program's user and group.
const account = "helve"

// ownFiles holds the files of /etc that replace the host's, which name the host's users
// and other machines. Only a root directory of its own can contain them.
func (j *Job) ownFiles() map[string]string {
	uid, gid := unix.Geteuid(), unix.Getegid()
	files := map[string]string{
		"/etc/passwd":        fmt.Sprintf("%s:x:%d:%d::%s:/bin/sh\n", account, uid, gid, j.Home()),
		"/etc/group":         fmt.Sprintf("%s:x:%d:\n", account, gid),
		"/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
	}
	if !j.Network {
		files["/etc/hosts"] = "127.0.0.1 localhost\n::1 localhost\n"
	}
	return files
}

// hostNames lists the files of the host's /etc that are needed to resolve names of
// other machines.
func hostNames() []string {
	return []string{"/etc/hosts", "/etc/host.conf", "/etc/resolv.conf", "/etc/gai.conf"}
}

// shown returns the parts of the host that the program may read and run.
func (j *Job) shown() []string {
	if !j.Network {
		return j.System
	}
	return append(hostNames(), j.System...)
}

// etc writes the program's own files.
func (b *builder) etc() {
	for path, text := range b.job.ownFiles() {
		b.target(path, false)
		if b.err == nil {
			b.step("write "+path, os.WriteFile(b.top+path, []byte(text), 0o444))
		}
	}
}
