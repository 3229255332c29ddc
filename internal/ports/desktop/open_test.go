package desktop

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/tool"
)

// eventually waits until a file is there, and returns what is in it.
func eventually(t *testing.T, file string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testtime.Patience())
	defer cancel()
	for {
		if text, err := os.ReadFile(file); err == nil && strings.HasSuffix(string(text), "\n") {
			return string(text)
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("%s is not there", file)
		}
	}
}

func TestOpen(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	app := written(t, "editor-program", `printf '%s|' "$@" "$(cat)" "$HELVE_SECRET" "$DISPLAY" >`+out+`.part; echo >>`+out+`.part; mv `+out+
		`.part `+out+`; echo noise; echo noise >&2`)
	env := []string{"PATH=" + filepath.Dir(app) + ":" + os.Getenv("PATH"), "DISPLAY=:7", "HELVE_SECRET=x"}
	apps := map[string][]string{"editor": {app, "--new"}, "editor-program": nil, "com.example.Mail": {"true"}}
	desk := of(t, Options{Env: env, Apps: apps}, tool.Scopes{Apps: []string{"*"}})
	for name, want := range map[string]string{"editor": "--new|a b|$(id)|||:7|\n", "editor-program": "a b|$(id)|||:7|\n"} {
		if err := desk.Open(t.Context(), name, []string{"a b", "$(id)"}); err != nil {
			t.Fatal(err)
		}
		if got := eventually(t, out); got != want {
			t.Errorf("%s was started with %q, want %q", name, got, want)
		}
		if err := os.Remove(out); err != nil {
			t.Fatal(err)
		}
	}
	wantKind(t, desk.Open(t.Context(), "editor", []string{"x", "--evil"}), tool.ValidationError, "must not begin with -")
	for _, arg := range []string{
		"+:!sh", "+x", "@list", "-x", "javascript:alert(1)", "macro:///Standard.Module1.Main", "vnd.sun.star.script:x?language=Basic",
		"ssh://-oProxyCommand=sh", "chrome://settings", "about:config",
		"file://host/x", "file:x", "data:text/html,x", "lavf://x", "memory://x", "DATA:x", "https://u:p@host.example/", "http://", "ms-msdt:x",
	} {
		wantKind(t, desk.Open(t.Context(), "editor", []string{"x", arg}), tool.ValidationError, "")
	}
	hosted := of(t, Options{Env: env, Apps: apps}, tool.Scopes{Apps: []string{"*"}, Hosts: []string{"good.example"}})
	wantKind(t, hosted.Open(t.Context(), "editor", []string{"https://evil.example/?x"}), tool.PermissionDenied, "")
	for _, name := range []string{"sh", app, "./editor", "../" + filepath.Base(app), "Editor", "editor\x00"} {
		wantKind(t, desk.Open(t.Context(), name, nil), tool.PermissionDenied, "com.example.Mail, editor, editor-program")
	}
	wantKind(t, desk.Open(t.Context(), "", nil), tool.PermissionDenied, "")
	narrow := of(t, Options{Env: env, Apps: apps}, tool.Scopes{Apps: []string{"*"}}, tool.Scopes{Apps: []string{"com.example.*", "sh"}})
	wantKind(t, narrow.Open(t.Context(), "editor", nil), tool.PermissionDenied, "outside what this call may use")
	if err := narrow.Open(t.Context(), "com.example.Mail", nil); err != nil {
		t.Errorf("an application within the scopes: %v", err)
	}
	wantKind(t, narrow.Open(t.Context(), "sh", nil), tool.PermissionDenied, "may be opened: com.example.Mail")
	wantKind(t, of(t, Options{Env: env}).Open(t.Context(), "editor", nil), tool.NotConfigured, "desktop.apps: [")
}

func TestOpenFails(t *testing.T) {
	notAProgram := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(notAProgram, []byte("no program"), 0o755); err != nil {
		t.Fatal(err)
	}
	desk := of(t, Options{
		Env: []string{"DISPLAY=:7"}, Apps: map[string][]string{"fails": {written(t, "fails", "exit 3")}, "text": {notAProgram}},
	})
	wantKind(t, desk.Open(t.Context(), "fails", nil), tool.ExecutionError, "ended with an error as soon as it was opened")
	wantKind(t, desk.Open(t.Context(), "text", nil), tool.ExecutionError, "could not be started")
}

// What is opened lives on in a session of its own, whatever becomes of the call, and
// leaves no zombie when it ends.
func TestOpenedIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	begun, proceed, ended := filepath.Join(dir, "begun"), filepath.Join(dir, "go"), filepath.Join(dir, "ended")
	app := written(t, "app", `echo $$ >`+begun+`; while [ ! -e `+proceed+` ]; do sleep 0.05; done; echo done >`+ended)
	desk := of(t, Options{Env: []string{"DISPLAY=:7", "PATH=" + os.Getenv("PATH")}, Apps: map[string][]string{"app": {app}}})
	ctx, cancel := context.WithCancel(t.Context())
	opened := make(chan error, 1)
	go func() { opened <- desk.Open(ctx, "app", nil) }()
	pid := strings.TrimSpace(eventually(t, begun))
	cancel()
	if err := <-opened; err != nil {
		t.Errorf("Open: %v", err)
	}
	if stat, err := os.ReadFile("/proc/" + pid + "/stat"); err == nil { // where there is /proc
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if fields[3] != pid { // session
			t.Errorf("the application %s is in the session %s, want its own", pid, fields[3])
		}
	}
	if err := os.WriteFile(proceed, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, ended)
	gone := time.Now().Add(testtime.Patience())
	for {
		if _, err := os.Stat("/proc/" + pid); err != nil {
			return
		}
		if time.Now().After(gone) {
			t.Fatal("the application is a zombie")
		}
		<-time.After(10 * time.Millisecond)
	}
}

func TestPage(t *testing.T) {
	d, err := New(Options{Env: []string{"DISPLAY=:7"}})
	if err != nil {
		t.Fatal(err)
	}
	b := &bound{d, []tool.Scopes{{Hosts: []string{"*"}}}}
	for address, want := range map[string]string{
		"https://example.com":                         "https://example.com",
		"HTTP://Example.com:8080/a?b=c&d=e#f":         "http://Example.com:8080/a?b=c&d=e#f",
		"https://example.com/a b'$(id)`x`;y\"":        "https://example.com/a%20b%27%24%28id%29%60x%60%3By%22",
		"https://[::1]:8443/":                         "https://[::1]:8443/",
		"https://bücher.example/ü":                    "https://b%C3%BCcher.example/%C3%BC",
		"https://example.com/?q=" + "%24%28id%29&x=1": "https://example.com/?q=%24%28id%29&x=1",
	} {
		if got, err := b.page(address); err != nil || got != want {
			t.Errorf("page(%q) = %q, %v, want %q", address, got, err, want)
		}
	}
	for _, address := range []string{
		"", "example.com", "//example.com", "/etc/passwd", "file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "ftp://example.com",
		"https://", "https://:80", "https:example.com", "http://u:p@example.com", "http://u@example.com", "https://example.com:99999",
		"https://example.com:x", "--help", "https://-oops", "https://a b.com", "https://example.com/\x00", "https://exa\nmple.com",
		"view-source:http://x",
	} {
		_, err := b.page(address)
		wantKind(t, err, tool.ValidationError, "")
	}
	b.within = append(b.within, tool.Scopes{Hosts: []string{"*.example.com"}})
	if _, err := b.page("https://www.example.com"); err != nil {
		t.Errorf("a host within the scopes: %v", err)
	}
	_, err = b.page("https://example.org")
	wantKind(t, err, tool.PermissionDenied, "example.org")
}

// A real browser, started by the real opener, fetches the page.
func TestOpenURL(t *testing.T) {
	need(t, "xdg-open", "xdg-utils")
	chromium := need(t, "chromium", "chromium")
	fetched := make(chan string, 8)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case fetched <- r.URL.RequestURI():
		default:
		}
		_, _ = w.Write([]byte("<p>hello"))
	}))
	defer server.Close()
	home := t.TempDir()
	done := filepath.Join(home, "done")
	browser := written(t, "browser", chromium+` --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir=`+home+
		`/profile --dump-dom "$1" >`+home+`/page; echo done >`+done)
	desk := of(t, Options{Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "BROWSER=" + browser}}, tool.Scopes{Hosts: []string{"*"}})
	if err := desk.OpenURL(t.Context(), server.URL+"/a page?x=1&y='2'"); err != nil {
		t.Fatal(err)
	}
	select {
	case got := <-fetched:
		if want := "/a%20page?x=1&y=%272%27"; got != want {
			t.Errorf("the browser fetched %s, want %s", got, want)
		}
	case <-time.After(60 * time.Second):
		t.Fatal("the browser did not fetch the page")
	}
	eventually(t, done) // its files are there until it ends
	if text, err := os.ReadFile(filepath.Join(home, "page")); err != nil || !strings.Contains(string(text), "hello") {
		t.Errorf("the browser showed %q, %v", text, err)
	}
}
