package clitools

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// registry serves an npm registry with one package.
func registry(t *testing.T, pkg string, files map[string]string) string {
	t.Helper()
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	archive := tar.NewWriter(zipped)
	for name, text := range files {
		if err := archive.WriteHeader(&tar.Header{Name: "package/" + name, Mode: 0o755, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	sum := sha512.Sum512(packed.Bytes())
	mux := http.NewServeMux()
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	var manifest struct {
		Bin json.RawMessage `json:"bin,omitempty"`
	}
	if err := json.Unmarshal([]byte(files["package.json"]), &manifest); err != nil {
		t.Fatal(err)
	}
	mux.HandleFunc("/"+pkg, func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{
			"name": pkg, "dist-tags": map[string]string{"latest": "3.2.1"},
			"versions": map[string]any{"3.2.1": map[string]any{
				"name": pkg, "version": "3.2.1", "bin": manifest.Bin,
				"dist": map[string]string{"tarball": srv.URL + "/tarball.tgz", "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])},
			}},
		})
	})
	mux.HandleFunc("/tarball.tgz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(packed.Bytes()) })
	return srv.URL + "/"
}

func needNPM(t *testing.T) {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("SKIPPED: %s is not installed, so nothing of installing programs is tested; install the packages nodejs and npm", program)
		}
	}
}

func npmEntry(registry string) string {
	return "- tenant: acme\n  service: npm\n  data: {registry: \"" + registry + "\"}\n"
}

// A program is installed from a registry, without its scripts, and then run.
func TestInstallCLITool(t *testing.T) {
	needNPM(t)
	url := registry(t, "prettier", map[string]string{
		"package.json": `{"name":"prettier","version":"3.2.1","bin":{"prettier":"./bin/p.js"},"scripts":{"install":"touch hacked","postinstall":"touch hacked"}}`,
		"bin/p.js": "#!/usr/bin/env node\nif (process.argv[2] === '--version') console.log('3.2.1')\nelse " +
			"console.log(JSON.stringify([process.cwd().split('/').pop(), ...process.argv.slice(2)]))\n",
	})
	w := newWorld(t, npmEntry(url))
	// The contents of the workspace must not configure npm.
	w.file(".npmrc", "registry=http://127.0.0.1:1/\n")
	w.file(".helve/cli/prettier/.npmrc", "registry=http://127.0.0.1:1/\n")
	w.file(".helve/cli/prettier/lib/.npmrc", "registry=http://127.0.0.1:1/\n")
	w.file(".helve/cli/prettier/etc/npmrc", "registry=http://127.0.0.1:1/\n")
	w.file(".helve/cli/prettier/lib/package.json", `{"dependencies":{"evil":"http://127.0.0.1:1/evil.tgz"}}`)
	w.file("package.json", `{"dependencies":{"evil":"http://127.0.0.1:1/evil.tgz"}}`)
	w.file("a/b/c.txt", "x")
	// Nor is a program of the workspace run for an installed program.
	w.file(".helve/cli/prettier/lib/node_modules/prettier/package.json", `{"version":"6.6.6","bin":"./evil.js"}`)
	w.file(".helve/cli/prettier/lib/node_modules/prettier/evil.js", "console.log('evil')")
	w.file("node_modules/.bin/prettier", "#!/bin/sh\necho evil")
	if err := os.Chmod(filepath.Join(w.dir, "node_modules/.bin/prettier"), 0o700); err != nil {
		t.Fatal(err)
	}
	run := func(name string, cases ...tooltest.Case) { t.Helper(); tooltest.Run(t, Set, name, w.call, cases) }

	run("run_cli_tool", tooltest.Case{Name: "before", Args: `{"name":"prettier"}`, Fails: tool.NotConfigured, Message: "install_cli_tool"})
	for range 2 { // a second run gives the same
		run("install_cli_tool",
			tooltest.Case{Name: "install", Args: `{"name":"prettier","method":"npm-global"}`, Check: func(t *testing.T, res tool.Result) {
				var r installResult
				if err := json.Unmarshal(res.Value, &r); err != nil || r.ToolName != "prettier" || r.ExitCode != 0 ||
					!strings.Contains(r.Output, "1 package") {
					t.Errorf("result %s, %v", res.Value, err)
				}
			}})
	}
	if found, _ := filepath.Glob(w.dir + ".programs/prettier/lib/node_modules/*/hacked"); len(found) > 0 {
		t.Error("a script of the package ran")
	}
	if found, _ := filepath.Glob(w.dir + ".programs/prettier/lib/node_modules/prettier/bin/p.js"); len(found) != 1 {
		t.Errorf("the program is not beside the workspace, %q", found)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "node_modules/prettier")); err == nil {
		t.Error("the installation wrote into the workspace")
	}
	run(
		"run_cli_tool",
		tooltest.Case{Name: "top", Args: `{"name":"prettier","args":["--check","$x; y"]}`, Check: says(`["u1","--check","$x; y"]`+"\n", 0)},
		tooltest.Case{Name: "deep", Args: `{"name":"prettier","cwd":"a/./b/","args":["z"]}`, Check: says(`["b","z"]`+"\n", 0)},
	)
	run("list_cli_tools", tooltest.Case{Name: "list", Check: func(t *testing.T, res tool.Result) {
		if !strings.Contains(string(res.Value),
			`"name":"prettier","description":"Formats code; its plugins are code that it runs.","category":"code","installed":true,"version":"3.2.1"`) {
			t.Errorf("the list does not show the installed program")
		}
	}})
}

func TestInstallCLIToolFailures(t *testing.T) {
	needNPM(t)
	url := registry(t, "eslint", map[string]string{"package.json": `{"name":"eslint","version":"3.2.1"}`})
	w := newWorld(t, npmEntry(url)+acme+`  label: svgo
  data: {policy: blocked}
`)
	tooltest.Run(t, Set, "install_cli_tool", w.call, []tooltest.Case{
		{Name: "no such package", Args: `{"name":"stylelint","method":"npm-global"}`, Check: func(t *testing.T, res tool.Result) {
			var r installResult
			if err := json.Unmarshal(res.Value, &r); err != nil || r.ExitCode == 0 || !strings.Contains(r.Output, "404") {
				t.Errorf("result %s, %v, want npm's complaint", res.Value, err)
			}
		}},
		{Name: "package without the program", Args: `{"name":"eslint","method":"npm-global"}`, Fails: tool.ExecutionError, Message: "not in it"},
		{Name: "unknown", Args: `{"name":"nosuch","method":"npm-global"}`, Fails: tool.ValidationError},
		{Name: "no package", Args: `{"name":"jq","method":"npm-global"}`, Fails: tool.Unsupported, Message: "operator"},
		{Name: "blocked", Args: `{"name":"svgo","method":"npm-global"}`, Fails: tool.PolicyDenied},
		{Name: "method", Args: `{"name":"eslint","method":"apt"}`, Fails: tool.ValidationError, Message: "method"},
		{Name: "no method", Args: `{"name":"eslint"}`, Fails: tool.ValidationError, Message: "method"},
	})
	w.call.Secrets = secrets(t, npmEntry("nonsense"))
	tooltest.Run(t, Set, "install_cli_tool", w.call, []tooltest.Case{
		{Name: "registry", Args: `{"name":"eslint","method":"npm-global"}`, Fails: tool.NotConfigured, Message: "registry"},
	})
}

// pnpm gets the same options, and its absence is reported.
func TestInstallByPNPM(t *testing.T) {
	w := newWorld(t, "")
	w.script("node", "")
	if _, err := exec.LookPath("pnpm"); err != nil {
		tooltest.Run(t, Set, "install_cli_tool", w.call, []tooltest.Case{
			{Name: "absent", Args: `{"name":"prettier","method":"pnpm-global"}`, Fails: tool.NotConfigured, Message: "pnpm"},
		})
	}
	w.script("pnpm", `[ "$1 $2 $3 $4" = "add --dir lib --ignore-scripts" ] || exit 9
mkdir -p "$3/node_modules/.bin"; echo '#!/bin/sh' > "$3/node_modules/.bin/prettier"
chmod +x "$3/node_modules/.bin/prettier"; echo "$npm_config_registry"`)
	tooltest.Run(t, Set, "install_cli_tool", w.call, []tooltest.Case{{
		Name: "pnpm", Args: `{"name":"prettier","method":"pnpm-global"}`,
		Want: fmt.Sprintf(`{"toolName":"prettier","exitCode":0,"output":"%s\n"}`, publicRegistry),
	}})
}
