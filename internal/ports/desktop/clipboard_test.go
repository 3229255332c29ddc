package desktop

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/tool"
)

// display starts an X server without a screen on a free display.
func display(t *testing.T) string {
	t.Helper()
	server := need(t, "Xvfb", "xvfb")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(server, "-displayfd", "3", "-screen", "0", "64x64x8", "-nolisten", "tcp")
	cmd.ExtraFiles = []*os.File{w}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if err := r.SetReadDeadline(time.Now().Add(testtime.Patience())); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Skipf("SKIPPED: Xvfb did not start (%v); see that it works", err)
	}
	return "DISPLAY=:" + strings.TrimSpace(line)
}

func TestClipboard(t *testing.T) {
	for _, name := range []string{"xclip", "xsel"} {
		t.Run(name, func(t *testing.T) {
			program := need(t, name, name)
			desk := of(t, Options{Env: []string{"PATH=" + only(t, program), "HOME=" + t.TempDir(), display(t)}})
			if text, err := desk.ReadClipboard(t.Context()); err != nil || text != "" {
				t.Errorf("an empty clipboard holds %q, %v", text, err)
			}
			for _, want := range []string{
				"hello", "two\nlines\n", "ünï кана 🎉", "-out", "$(id) `id` 'x'", strings.Repeat("0123456789abcdef", 64<<10),
			} {
				if err := desk.WriteClipboard(t.Context(), want); err != nil {
					t.Fatalf("write of %.20q: %v", want, err)
				}
				if got, err := desk.ReadClipboard(t.Context()); err != nil || got != want {
					t.Errorf("read %.20q (%d bytes), %v, want %.20q (%d bytes)", got, len(got), err, want, len(want))
				}
			}
		})
	}
}

// What another program copies is read as well.
func TestClipboardOfOthers(t *testing.T) {
	program := need(t, "xclip", "xclip")
	where := display(t)
	cmd := exec.CommandContext(t.Context(), program, "-selection", "clipboard", "-in")
	cmd.Env, cmd.Stdin = []string{where}, strings.NewReader("from elsewhere")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	desk := of(t, Options{Env: []string{"PATH=" + only(t, program), where}})
	// xclip returns before the display knows what it holds.
	got, err := desk.ReadClipboard(t.Context())
	for end := time.Now().Add(testtime.Patience()); err == nil && got == "" && time.Now().Before(end); {
		got, err = desk.ReadClipboard(t.Context())
	}
	if err != nil || got != "from elsewhere" {
		t.Errorf("read %q, %v", got, err)
	}
}

func TestClipboardFails(t *testing.T) {
	program := need(t, "xclip", "xclip")
	desk := of(t, Options{Env: []string{"PATH=" + only(t, program), "DISPLAY=:59999"}})
	_, err := desk.ReadClipboard(t.Context())
	wantKind(t, err, tool.NotConfigured, "cannot be reached")
	wantKind(t, desk.WriteClipboard(t.Context(), "x"), tool.NotConfigured, "cannot be reached")
}

// A program that hangs, or never ends its output, costs no more than the call's time
// and a bound of memory.
func TestClipboardHangs(t *testing.T) {
	for script, kind := range map[string]tool.Kind{"sleep 600 & wait": tool.Timeout, "exec yes": ""} {
		path := filepath.Dir(written(t, "xclip", script))
		desk := of(t, Options{Env: []string{"PATH=" + path + ":" + os.Getenv("PATH"), "DISPLAY=:1"}})
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		if kind == "" {
			ctx = t.Context()
		}
		text, err := desk.ReadClipboard(ctx)
		if kind != "" {
			wantKind(t, err, kind, "")
		} else if err != nil || len(text) != mostClipboard {
			t.Errorf("%s: read %d bytes, %v, want %d", script, len(text), err, mostClipboard)
		}
	}
}

// Wayland's programs are asked where there is Wayland, and only then.
func TestWayland(t *testing.T) {
	for i, env := range [][]string{{"WAYLAND_DISPLAY=wayland-0", "DISPLAY=:1"}, {"DISPLAY=:1"}} {
		dir := filepath.Dir(written(t, "wl-paste", "echo wayland"))
		if err := os.Rename(written(t, "xclip", "echo X"), filepath.Join(dir, "xclip")); err != nil {
			t.Fatal(err)
		}
		desk := of(t, Options{Env: append(env, "PATH="+dir+":"+os.Getenv("PATH"))})
		if got, err := desk.ReadClipboard(t.Context()); err != nil || got != []string{"wayland\n", "X\n"}[i] {
			t.Errorf("%s: read %q, %v", strconv.Quote(env[0]), got, err)
		}
	}
}
