package programs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/helve-dev/helve/internal/backend/programs/launch"
	"github.com/helve-dev/helve/internal/childexe"
	"github.com/helve-dev/helve/tool"
)

// Options are what the port stands on.
type Options struct {
	// Dir is the workspace of a tenant's user on this machine, made if need be.
	Dir func(tenant, user string) (string, error)
	// Path is where programs are looked for, as PATH; the worker's own if empty.
	// What does not lie within System or Readable is passed over.
	Path string
	// Readable are further directories and files, beside [System], that programs may
	// read and run, such as /opt/tools.
	Readable []string
	// Scratch is where each run gets a directory for its home and its temporary
	// files; the system's directory for those if empty.
	Scratch string
	// Unconfined runs programs as the worker itself: they reach all that it does.
	Unconfined bool
	// Launcher is the command that runs [Child]; the one that package childexe finds if empty.
	Launcher []string
}

// Programs runs programs. It is safe for concurrent use.
type Programs struct {
	options Options
	system  []string
	trees   []string // where those of system lead

	spaces sync.Mutex
	found  *space // of the host; nil before the first run
}

// Child serves as a launcher if this process was started as one, and then ends it.
// Every binary that uses this package calls it first thing in main, or in TestMain.
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
		o.Launcher = childexe.Command(launch.Argument)
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

// System lists what of a host programs may read and run, where it is there.
func System() []string {
	return []string{
		"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/run/current-system/sw",
		"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives",
		"/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/etc/ca-certificates.conf",
		"/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/hosts", "/etc/host.conf", "/etc/resolv.conf", "/etc/gai.conf",
		"/etc/services", "/etc/protocols", "/etc/localtime", "/etc/timezone", "/etc/locale.alias", "/etc/os-release", "/etc/debian_version",
		"/etc/mime.types", "/etc/magic", "/etc/magic.mime", "/etc/fonts", "/var/cache/fontconfig", "/etc/papersize", "/etc/terminfo", "/etc/inputrc",
		"/etc/ImageMagick-6", "/etc/ImageMagick-7", "/etc/ghostscript", "/etc/libreoffice", "/etc/java-11-openjdk", "/etc/java-17-openjdk", "/etc/java-21-openjdk",
		"/etc/python3", "/etc/perl", "/etc/nodejs", "/etc/chromium", "/etc/chromium.d",
	}
}

// For returns the programs of a user, which reach no further than the scopes. Scopes
// that the kernel cannot hold a program to are refused with path_not_allowed.
func (p *Programs) For(tenant, user string, within ...tool.Scopes) (tool.Programs, error) {
	grants, err := grantsOf(within)
	if err != nil {
		return nil, err
	}
	dir, err := p.options.Dir(tenant, user)
	if err != nil {
		return nil, err
	}
	return &runner{programs: p, dir: dir, grants: grants, within: slices.Clone(within)}, nil
}

// runner is the programs of a user.
type runner struct {
	programs *Programs
	dir      string
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
		info, err := os.Stat(file)
		if err == nil && filepath.IsAbs(dir) && info.Mode().IsRegular() && info.Mode()&0o111 != 0 && r.programs.reachable(file) {
			return file, nil
		}
	}
	return "", tool.Fail(tool.NotConfigured, "The program '%s' is not installed on this worker where programs may use it; ask its operator to install it, or name its directory in PATH and among the readable ones", name)
}

// path are the directories of PATH in which programs find others.
func (p *Programs) path() []string {
	dirs := filepath.SplitList(p.options.Path)
	return slices.DeleteFunc(dirs, func(dir string) bool { return !filepath.IsAbs(dir) || !p.reachable(dir) })
}

// reachable reports whether a program may read what a path of the host leads to.
func (p *Programs) reachable(path string) bool {
	target, err := filepath.EvalSymlinks(path)
	return err == nil && (p.options.Unconfined || p.readable(target))
}

// readable reports whether every program may read what lies at a path of the host.
func (p *Programs) readable(target string) bool {
	return slices.ContainsFunc(p.trees, func(tree string) bool { return below(target, tree) })
}

// below reports whether a clean path is dir or lies in it.
func below(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}
