package clitools

import (
	"encoding/json"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// home is where install_cli_tool puts programs, in the workspace: a directory of
// its own for each.
const home = ".helve/cli"

// manifestSize bounds the package.json of a package.
const manifestSize = 1 << 20

// locate says how a program is run in dir: from the PATH of the machine, or else
// from where install_cli_tool put it.
func (p *program) locate(call *tool.Call, dir string) (tool.Program, error) {
	_, missing := call.Programs.Find(p.executable())
	if missing == nil {
		return tool.Program{Name: p.executable(), Args: append([]string{}, p.args...), Dir: dir}, nil
	}
	if e, ok := errors.AsType[*tool.Error](missing); !ok || e.Kind != tool.NotConfigured {
		return tool.Program{}, missing
	}
	if p.npm == "" {
		return tool.Program{}, tool.Fail(tool.NotConfigured, "The program '%s' is not installed on this worker; ask the operator to install it.", p.executable()).Because(missing)
	}
	own, err := p.installed(call.Files)
	if err != nil {
		return tool.Program{}, err
	}
	if own == nil {
		return tool.Program{}, tool.Fail(tool.NotConfigured, "'%s' is not installed; install_cli_tool installs it into the workspace.", p.name).Because(missing)
	}
	if _, err := call.Programs.Find("node"); err != nil {
		return tool.Program{}, err
	}
	script := strings.Repeat("../", depth(dir)) + own.script
	return tool.Program{Name: "node", Args: append([]string{script}, p.args...), Dir: dir}, nil
}

func depth(dir string) int {
	clean := path.Clean(dir)
	if clean == "." {
		return 0
	}
	return strings.Count(clean, "/") + 1
}

// installation is a program of an npm package in the workspace.
type installation struct{ script, version string }

// installed looks where install_cli_tool puts a program; nil if it is not there.
func (p *program) installed(files tool.Files) (*installation, error) {
	dir := path.Join(home, p.name, "lib/node_modules", p.npm)
	f, err := files.Open(path.Join(dir, "package.json"))
	if err != nil {
		return nil, ignoreMissing(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, manifestSize))
	if err != nil {
		return nil, err
	}
	var manifest struct {
		Version string          `json:"version"`
		Bin     json.RawMessage `json:"bin"`
	}
	if json.Unmarshal(text, &manifest) != nil {
		return nil, nil // whoever wrote into it can install it again
	}
	var one string
	var many map[string]string
	if json.Unmarshal(manifest.Bin, &one) != nil && json.Unmarshal(manifest.Bin, &many) == nil {
		one = many[p.name]
	}
	script := path.Join(dir, one)
	if one == "" || !strings.HasPrefix(script, dir+"/") {
		return nil, nil
	}
	if info, err := files.Stat(script); err != nil || !info.Mode().IsRegular() {
		return nil, ignoreMissing(err)
	}
	return &installation{script, manifest.Version}, nil
}

// ignoreMissing drops the error that says that a file is not there, or cannot be a
// file at all.
func ignoreMissing(err error) error {
	if e, ok := errors.AsType[*tool.Error](err); ok && (e.Kind == tool.FileNotFound || e.Kind == tool.ValidationError) {
		return nil
	}
	return err
}
