package programs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/helve-dev/helve/internal/ports/helperbin"
	"github.com/helve-dev/helve/internal/ports/programs/launch"
	"github.com/helve-dev/helve/tool"
)

// Options configures the port.
type Options struct {
	// Dir returns the workspace of a tenant's user on this machine and creates it if
	// necessary.
	Dir func(tenant, user string) (string, error)
	// Installed returns the directory of the programs that a tenant's user has installed,
	// which may be missing. No tool writes there except by [tool.Program.Install]; without
	// it nothing can be installed.
	Installed func(tenant, user string) (string, error)
	// Writable is the directory on this host below which tools write: no program of the
	// Path is run from there. Empty for none but the workspace of the call.
	Writable string
	// Path is the search path of programs, as PATH; the worker's own if empty.
	// Directories outside System and Readable are skipped.
	Path string
	// Readable lists further directories and files, beside [System], that programs may
	// read and run, such as /opt/tools.
	Readable []string
	// Scratch is the directory for the home and the temporary files of each run; the
	// system's temporary directory if empty.
	Scratch string
	// Unconfined runs programs without confinement: they can access everything that the
	// worker can.
	Unconfined bool
	// Launcher is the command that runs [Child]; if empty, the command that package
	// helperbin finds.
	Launcher []string
}

// Programs runs programs. It is safe for concurrent use.
type Programs struct {
	options Options
	system  []string
	trees   []string // the resolved paths of system

	spaces sync.Mutex
	found  *space // of the host; nil before the first run
}

// Child serves as a launcher and exits if this process was started as a launcher. Every
// binary that uses this package calls it first in main, or in TestMain.
func Child() { launch.Child() }

// New returns the port's backend.
func New(o Options) *Programs {
	if o.Path == "" {
		o.Path = os.Getenv("PATH")
	}
	if o.Scratch == "" {
		o.Scratch = os.TempDir()
	}
	if o.Launcher == nil {
		o.Launcher = helperbin.Command(launch.Argument)
	}
	p := &Programs{options: o, system: append(System(), o.Readable...)}
	for _, tree := range p.system {
		if there, err := filepath.EvalSymlinks(tree); err == nil {
			p.trees = append(p.trees, there)
		}
	}
	slices.Sort(p.trees)
	p.trees = slices.Compact(p.trees)
	return p
}

// System returns the parts of a host that programs may read and run, if they exist.
// They contain no names of the host's users or other machines, and no keys.
func System() []string {
	return []string{
		"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/run/current-system/sw",
		"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives",
		"/etc/ssl/certs", "/etc/ssl/cert.pem", "/etc/ssl/openssl.cnf", "/etc/pki/ca-trust", "/etc/pki/tls/certs", "/etc/pki/tls/cert.pem",
		"/etc/pki/tls/openssl.cnf",
		"/etc/ca-certificates", "/etc/ca-certificates.conf",
		"/etc/services", "/etc/protocols", "/etc/localtime", "/etc/timezone", "/etc/locale.alias", "/etc/os-release", "/etc/debian_version",
		"/etc/mime.types", "/etc/magic", "/etc/magic.mime", "/etc/fonts", "/var/cache/fontconfig", "/etc/papersize", "/etc/terminfo",
		"/etc/inputrc",
		"/etc/ImageMagick-6", "/etc/ImageMagick-7", "/etc/ghostscript", "/etc/libreoffice", "/etc/java-11-openjdk", "/etc/java-17-openjdk",
		"/etc/java-21-openjdk",
		"/etc/python3", "/etc/perl", "/etc/nodejs", "/etc/chromium", "/etc/chromium.d",
	}
}

// For returns the programs of a user, limited to the scopes. Scopes that the kernel
// cannot enforce are refused with path_not_allowed.
func (p *Programs) For(tenant, user string, within ...tool.Scopes) (tool.Programs, error) {
	grants, err := grantsOf(within)
	if err != nil {
		return nil, err
	}
	dir, err := p.options.Dir(tenant, user)
	if err != nil {
		return nil, err
	}
	r := &runner{programs: p, dir: dir, grants: grants, within: slices.Clone(within)}
	if p.options.Installed != nil {
		r.installs, err = p.options.Installed(tenant, user)
	}
	return r, err
}

// runner runs the programs of a user.
type runner struct {
	programs *Programs
	dir      string
	installs string // the user's installed programs; "" if none can be
	grants   []string
	within   []tool.Scopes
}

// Find implements [tool.Programs].
func (r *runner) Find(name string) (string, error) {
	if name == "" || strings.ContainsAny(name, "/\x00") {
		return "", tool.Fail(tool.ValidationError, "A program is named without slashes, not '%s'", name)
	}
	for _, dir := range filepath.SplitList(r.programs.options.Path) {
		file := filepath.Join(dir, name)
		if filepath.IsAbs(dir) && !r.writable(dir) && executable(file) && r.reachable(file) {
			return file, nil
		}
	}
	if file := r.installed(name); file != "" {
		return file, nil
	}
	return "", tool.Fail(tool.NotConfigured,
		"The program '%s' is not installed on this worker where programs may use it; its operator installs it (%s), or adds its directory to "+
			"programs.path and programs.readable",
		name, howTo(name))
}

func executable(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// path returns the directories of PATH in which programs are found, also by others.
func (r *runner) path() []string {
	dirs := filepath.SplitList(r.programs.options.Path)
	return slices.DeleteFunc(dirs, func(dir string) bool { return !filepath.IsAbs(dir) || !r.reachable(dir) })
}

// reachable reports whether a program may run the target of a host path: it may read it,
// and no tool can have written it.
func (r *runner) reachable(path string) bool {
	target, err := filepath.EvalSymlinks(path)
	if err != nil || r.writable(path) {
		return false
	}
	return r.programs.options.Unconfined || r.programs.readable(target)
}

// writable reports whether tools may have written the target of a host path.
func (r *runner) writable(path string) bool {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return true // nothing is known of it
	}
	for _, dir := range []string{r.dir, r.programs.options.Writable} {
		if there, err := filepath.EvalSymlinks(dir); dir != "" && err == nil && below(target, there) {
			return true
		}
	}
	return false
}

// readable reports whether every program may read a host path.
func (p *Programs) readable(target string) bool {
	return slices.ContainsFunc(p.trees, func(tree string) bool { return below(target, tree) })
}

// below reports whether a clean path is dir or below it.
func below(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}
