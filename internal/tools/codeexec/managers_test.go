package codeexec

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/docker"
	"github.com/helve-dev/helve/internal/ports/docker/dockertest"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// registry serves a package for each manager: for npm with an install script, for pip
// as a wheel.
func registry(t *testing.T) string {
	t.Helper()
	var tgz bytes.Buffer
	packed := gzip.NewWriter(&tgz)
	archive := tar.NewWriter(packed)
	text := `{"name":"tiny","version":"1.0.0","main":"i.js","scripts":{"preinstall":"touch /workspace/script-ran","install":"touch /workspace/script-ran"}}`
	err := archive.WriteHeader(&tar.Header{Name: "package/package.json", Mode: 0o644, Size: int64(len(text))})
	for _, step := range []func() error{
		func() error { _, err := archive.Write([]byte(text)); return err }, archive.Close, packed.Close,
	} {
		if err == nil {
			err = step()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	var wheel bytes.Buffer
	files := zip.NewWriter(&wheel)
	for name, text := range map[string]string{
		"tiny.py": "x = 1\n", "tiny-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
		"tiny-1.0.dist-info/WHEEL":  "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
		"tiny-1.0.dist-info/RECORD": "",
	} {
		w, err := files.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	mux.HandleFunc("/tiny", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"name":"tiny","dist-tags":{"latest":"1.0.0"},"versions":{"1.0.0":{"name":"tiny","version":"1.0.0","hasInstallScript":true,"dist":{"tarball":"%s/tiny.tgz"}}}}`, s.URL)
	})
	mux.HandleFunc("/tiny.tgz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(tgz.Bytes()) })
	mux.HandleFunc("/simple/tiny/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!DOCTYPE html><html><body><a href="/tiny-1.0-py3-none-any.whl">tiny-1.0-py3-none-any.whl</a></body></html>`)
	})
	mux.HandleFunc("/tiny-1.0-py3-none-any.whl", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(wheel.Bytes()) })
	return s.URL
}

// workspace returns a call with a directory that is visible to the containers of a real
// engine.
func workspace(t *testing.T, network string) (tool.Call, string) {
	t.Helper()
	dir := dockertest.Workspace(t)
	o := docker.Options{
		Host: dockertest.Genuine(t), Images: dockertest.Images(), Network: network, User: dockertest.User(),
		Dir: func(string, string) (string, error) { return dir, nil },
	}
	d, err := docker.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	containers, err := d.For("acme", "u1")
	if err != nil {
		t.Fatal(err)
	}
	return tool.Call{Containers: containers}, dir
}

func TestPackageManagerOnDocker(t *testing.T) {
	call, dir := workspace(t, "host")
	url := registry(t)
	for name, text := range map[string]string{
		"package.json": `{"name":"app","version":"1.0.0","scripts":{"hello":"node -e 'console.log(6*7)'"}}`,
		".npmrc":       "registry=" + url + "\n",
		"needs.txt":    "--index-url " + url + "/simple\ntiny\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(dir, "package.json"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ command, want string }{
		{"npm install tiny", "added 1 package"},
		{"npm ls", "tiny@1.0.0"},
		{"npm run hello", "42"},
		{"npm --version", "10."},
		{"npm uninstall tiny", "removed 1 package"},
		{"yarn --version", "1."},
		{"yarn run hello", "42"},
		{"pip install -r needs.txt", "Successfully installed tiny-1.0"},
		{"pip list", "tiny"},
		{"pip uninstall tiny", "Successfully uninstalled tiny-1.0"},
	} {
		tooltest.Run(t, Set, "package_manager", call, []tooltest.Case{{
			Name: tt.command, Args: `{"command":"` + tt.command + `","timeout":120000}`, Check: func(t *testing.T, res tool.Result) {
				if text := string(res.Value); !strings.Contains(text, `"exitCode":0`) || !strings.Contains(text, tt.want) {
					t.Errorf("%s: result %s, want %q", tt.command, text, tt.want)
				}
			},
		}})
	}
	if _, err := os.Stat(filepath.Join(dir, "script-ran")); err == nil {
		t.Error("the package's own script ran when it was installed")
	}
}

// Without a working network a manager fails and reports why.
func TestPackageManagerWithoutNetwork(t *testing.T) {
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	call, dir := workspace(t, "none")
	text := "--index-url http://" + l.Addr().String() + "/simple\ntiny\n"
	if err := os.WriteFile(filepath.Join(dir, "needs.txt"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	tooltest.Run(t, Set, "package_manager", call, []tooltest.Case{{
		Name: "pip", Args: `{"command":"pip install -r needs.txt","timeout":120000}`, Check: func(t *testing.T, res tool.Result) {
			if text := string(res.Value); !strings.Contains(text, "Connection refused") || strings.Contains(text, `"exitCode":0`) {
				t.Errorf("result %s, want that nothing could be reached", text)
			}
		},
	}})
}
