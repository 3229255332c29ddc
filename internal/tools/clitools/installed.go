package clitools

import (
	"encoding/json"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// home is the directory of the workspace in which install_cli_tool puts programs, each
// in a directory of its own.
const home = ".helve/cli"

// manifestSize limits the package.json of a package, in bytes.
const manifestSize = 1 << 20

// locate returns how to run a program in dir: from the PATH of the machine, otherwise
// from the directory of install_cli_tool.
func (p *program) locate(call *tool.Call, dir string) (tool.Program, error) {
	_, missing := call.Programs.Find(p.executable())
	if missing == nil {
		return tool.Program{Name: p.executable(), Args: append([]string{}, p.args...), Dir: dir}, nil
	}
	if e, ok := errors.AsType[*tool.Error](missing); !ok || e.Kind != tool.NotConfigured {
		return tool.Program{}, missing
	}
	if p.npm == "" {
		return tool.Program{}, missing
	}
	own, err := p.installed(call.Files)
	if err != nil {
		return tool.Program{}, err
	}
	if own == nil {
		return tool.Program{}, tool.Fail(tool.NotConfigured, "'%[1]s' is not installed; install_cli_tool with name='%[1]s' installs it into the workspace.", p.name).Because(missing)
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

// installed returns a program that install_cli_tool installed, or nil if there is none.
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
		return nil, nil // a changed installation can be repeated
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

// ignoreMissing drops the error of a file that does not exist or cannot be a file.
func ignoreMissing(err error) error {
	if e, ok := errors.AsType[*tool.Error](err); ok && (e.Kind == tool.FileNotFound || e.Kind == tool.ValidationError) {
		return nil
	}
	return err
}
