package config

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path/filepath"
	"strings"
	"syscall"
)

// Explain returns the error with which a program of a role ended. If the program could not listen
// on one of its addresses, or could not write below its data directory, the error names the flag
// and the setting to change.
func (c Config) Explain(role Role, err error) error {
	if listen, ok := errors.AsType[*net.OpError](err); ok && listen.Op == "listen" && listen.Addr != nil {
		for _, key := range []string{"http.addr", "worker.http_addr", "http.admin_addr", "up.nats_addr"} {
			if name := flagOf(role, key); name != "" && samePort(c.addrOf(key), listen.Addr.String()) {
				return fmt.Errorf("%w; choose another address with --%s (%s), or end the program that listens there", err, name, key)
			}
		}
	}
	path, ok := errors.AsType[*fs.PathError](err)
	denied := errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOTDIR)
	if ok && denied && within(c.Data, path.Path) {
		return fmt.Errorf("%w; choose another directory with --data (data), or make it writable for the user of this process", err)
	}
	return err
}

// flagOf returns the flag that sets a key in a role, empty if there is none.
func flagOf(role Role, key string) string {
	for _, f := range flags {
		if f.key[role] == key {
			return f.name
		}
	}
	return ""
}

func (c Config) addrOf(key string) string {
	addr, _ := keys(&c)[key].ptr.(*string)
	if addr == nil {
		return ""
	}
	return *addr
}

// samePort reports whether two addresses HOST:PORT have the same port: a host may be written in
// several ways.
func samePort(a, b string) bool {
	_, one, err := net.SplitHostPort(a)
	_, other, failed := net.SplitHostPort(b)
	return err == nil && failed == nil && one == other
}

// within reports whether a path is below a directory, or a directory that must be made for it.
func within(dir, path string) bool {
	dir, err := filepath.Abs(dir)
	path, failed := filepath.Abs(path)
	below := func(path, dir string) bool {
		return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
	}
	return err == nil && failed == nil && (below(path, dir) || below(dir, path))
}
