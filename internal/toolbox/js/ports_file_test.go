package js

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/workspace"
	"github.com/helve-dev/helve/tool"
)

// disk is a host with a workspace on disk, and the directory it lies in.
func disk(t testing.TB) (*Ports, string) {
	t.Helper()
	dir := t.TempDir()
	all, err := workspace.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	files, err := all.For("default", "u1")
	if err != nil {
		t.Fatal(err)
	}
	return &Ports{Call: &tool.Call{Files: files}, Files: true}, filepath.Join(dir, "workspaces", "default", "u1")
}

func TestPortsFile(t *testing.T) {
	t.Parallel()
	p, dir := disk(t)
	long, deep := strings.Repeat("a", maxPath+1), strings.Repeat("a/", 99)+"b"
	for _, tt := range []struct{ args, want string }{
		{`{"do":"exists","path":"a.txt"}`, `{}`},
		{`{"do":"write","path":"a.txt","data":"aGk="}`, `{}`},
		{`{"do":"append","path":"a.txt","data":"IQ=="}`, `{}`},
		{`{"do":"read","path":"a.txt"}`, `{"data":"aGkh"}`},
		{`{"do":"exists","path":"a.txt"}`, `{"exists":true}`},
		{`{"do":"write","path":"new/deep/b.txt"}`, `{}`},
		{`{"do":"append","path":"log/c.txt","data":"IQ=="}`, `{}`},
		{`{"do":"list","path":"."}`, `{"entries":["a.txt","log/","new/"]}`},
		{`{"do":"read","path":"new"}`, "validation_error"},
		{`{"do":"read","path":"none"}`, "file_not_found"},
		{`{"do":"list","path":"none"}`, "file_not_found"},
		{`{"do":"write","path":"../out/x","data":"QQ=="}`, "path_not_allowed"},
		{`{"do":"exists","path":"/etc/passwd"}`, "path_not_allowed"},
		{`{"do":"exists","path":"a.txt\u0000"}`, "validation_error"},
		{`{"do":"remove","path":"new"}`, "validation_error"},
		{`{"do":"remove","path":"a.txt"}`, `{}`},
		{`{"do":"remove","path":"a.txt"}`, "file_not_found"},
		{`{"do":"chmod","path":"a.txt"}`, "validation_error"},
		{`{"do":"read","path":"` + long + `"}`, "validation_error"},
		{`{"do":"read","path":"` + deep + `"}`, "file_not_found"},
		{`{"do":"write","path":"a/` + deep + `","data":""}`, "validation_error"},
		{`{"do":"write","path":"x","data":"not base64"}`, "validation_error"},
		{`{"do":"read"}`, "validation_error"},
		{`[]`, "validation_error"},
	} {
		if got := answer(t, p, OpFile, tt.args); got != tt.want {
			t.Errorf("%.80s: got %s, want %s", tt.args, got, tt.want)
		}
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(dir), "out")); !os.IsNotExist(err) {
		t.Error("a refused write made a directory outside")
	}
}

func TestPortsFileBounds(t *testing.T) {
	t.Parallel()
	p, dir := disk(t)
	if err := os.MkdirAll(filepath.Join(dir, "many"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, size := range map[string]int{"most": MaxBody, "more": MaxBody + 1} {
		if err := os.WriteFile(filepath.Join(dir, name), make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := answer(t, p, OpFile, `{"do":"read","path":"more"}`); got != "file_too_large" {
		t.Errorf("got %.100s", got)
	}
	if got := answer(t, p, OpFile, `{"do":"read","path":"most"}`); len(got) < MaxBody {
		t.Errorf("a file of just MaxBody: got %.100s", got)
	}
	args, _ := json.Marshal(FileRequest{Do: "write", Path: "x", Data: make([]byte, MaxBody+1)})
	if got := answer(t, p, OpFile, string(args)); got != "file_too_large" {
		t.Errorf("got %.100s", got)
	}
	for i := range maxEntries + 1 {
		if err := os.WriteFile(filepath.Join(dir, "many", fmt.Sprint(i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := answer(t, p, OpFile, `{"do":"list","path":"many"}`); got != "file_too_large" {
		t.Errorf("got %.100s", got)
	}
}

func TestPortsFileShowsNoHostPath(t *testing.T) {
	t.Parallel()
	p, dir := disk(t)
	for _, args := range []string{
		`{"do":"read","path":"none"}`, `{"do":"read","path":"../x"}`, `{"do":"write","path":"none/"}`, `{"do":"remove","path":"."}`,
	} {
		_, err := p.Do(t.Context(), OpFile, json.RawMessage(args))
		if err == nil || strings.Contains(tool.AsError(err).Msg, dir[:5]) {
			t.Errorf("%s: got %v", args, err)
		}
	}
}
