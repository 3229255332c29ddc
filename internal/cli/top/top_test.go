package top

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/creack/pty"

	"github.com/helve-dev/helve/client"
)

// stand is a system with figures of a test.
type stand struct {
	mu        sync.Mutex
	err       error
	tools     int
	cancelled []string
	programs  client.Programs
	unlisted  error
}

func (s *stand) Programs(_ context.Context, f client.ProgramFilter) (client.Programs, error) {
	if f.Status != "pending" || f.Limit != programsMost {
		return client.Programs{}, errors.New("asked for others")
	}
	return s.programs, s.unlisted
}

func (s *stand) Pools(context.Context) ([]client.Pool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return []client.Pool{
		{Name: "default", Backlog: 7, Slots: 8, Busy: 3, Workers: 2, Rate: 1.5}, {Name: "heavy", Backlog: 90, Paused: true},
	}, s.err
}

func (s *stand) BriefWorkers(context.Context) ([]client.Worker, error) {
	return []client.Worker{{ID: "w-1", State: "running", Pools: []string{"default"}, Slots: 8, Busy: 3, Version: "v1"}}, nil
}

func (s *stand) Calls(_ context.Context, f client.CallFilter) (client.CallList, error) {
	now := time.Now()
	if f.State == "done" {
		var list client.CallList
		for i := range s.tools {
			list.Calls = append(list.Calls, client.CallSummary{Tool: fmt.Sprint("tool_", i), Status: "error", DurationMS: float64(i)})
		}
		return list, nil
	}
	return client.CallList{Calls: []client.CallSummary{
		{CallID: "c-1", Tool: "fetch_url", State: "running", User: "ada", Since: now.Add(-time.Minute)},
		{CallID: "c-2", Tool: "read\x1b[2Jfile", State: "queued", User: "bob", Since: now.Add(-time.Hour)},
		{CallID: "c-3", Tool: "delete_file", State: "awaiting_consent", User: "eve", ConsentID: "q-1", Since: now},
	}}, nil
}

func (s *stand) Cancel(_ context.Context, id string) (client.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancelled = append(s.cancelled, id)
	return client.Result{State: "done", ErrorType: "cancelled"}, s.err
}

func (s *stand) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

// view drives a model as the library does.
type view struct {
	*testing.T
	m *Model
}

func opened(t *testing.T, from Source) *view {
	t.Helper()
	v := &view{t, New(t.Context(), from, time.Second)}
	v.send(v.m.take())
	return v
}

func (v *view) send(msg tea.Msg) tea.Cmd {
	_, cmd := v.m.Update(msg)
	return cmd
}

// press sends keys and runs what the last one asks for.
func (v *view) press(keys ...string) tea.Msg {
	var cmd tea.Cmd
	for _, key := range keys {
		k := tea.Key{Text: key, Code: []rune(key)[0]}
		switch key {
		case "enter":
			k = tea.Key{Code: tea.KeyEnter}
		case "esc":
			k = tea.Key{Code: tea.KeyEscape}
		case "down":
			k = tea.Key{Code: tea.KeyDown}
		case "tab":
			k = tea.Key{Code: tea.KeyTab}
		}
		cmd = v.send(tea.KeyPressMsg(k))
	}
	if cmd == nil {
		return nil
	}
	return cmd()
}

func (v *view) wants(parts ...string) {
	v.Helper()
	for _, part := range parts {
		if !strings.Contains(v.m.Text(), part) {
			v.Errorf("the picture lacks %q:\n%s", part, v.m.Text())
		}
	}
}

func TestViews(t *testing.T) {
	t.Parallel()
	v := opened(t, &stand{tools: 3})
	v.wants("1 workers  3/8 slots busy  97 calls wait  1.5 calls/s  1 consents  POOL PAUSED", "[1 pools]", "> heavy", "paused", "BACKLOG▾")
	v.press("s", "s", "s", "s", "s", "s")
	v.wants("POOL▾", "> default")
	v.press("tab")
	v.wants("[2 workers]", "> w-1")
	v.press("3")
	v.wants("tool_2", "MEDIAN ms")
	v.press("4")
	v.wants("> 3600.0", "c-1", "running")
	if strings.ContainsRune(v.m.Text(), 0x1b) {
		t.Error("the name of a tool can control the terminal")
	}
	v.press("/", "A", "d", "a", "enter")
	v.wants("> 60.0", "filter: Ada", "1 rows")
	v.press("esc")
	v.wants("2 rows")
	v.press("5")
	v.wants("q-1", "eve")
}

// TestPrograms: programs that have not ended have a line by their state, which takes no room where
// there are none or the server lists none.
func TestPrograms(t *testing.T) {
	t.Parallel()
	s := &stand{tools: 100}
	v := opened(t, s)
	lines := func() []string { return strings.Split(v.m.Text(), "\n") }
	if text := v.m.Text(); strings.Contains(text, "programs") || len(lines()) > 24 {
		t.Errorf("without programs the picture is\n%s", text)
	}
	of := func(state string, waits ...client.ProgramWait) client.Program {
		return client.Program{State: state, WaitingFor: waits}
	}
	s.programs = client.Programs{Next: "x", Programs: []client.Program{
		of("running"), of("queued"), of("queued"), of("waiting", client.ProgramWait{Kind: "sleep"}),
		of("waiting", client.ProgramWait{Kind: "call"}, client.ProgramWait{Kind: "answer", ConsentID: "c-1"}),
	}}
	v.send(v.m.take())
	v.press("3")
	const want = "programs: 1 running  2 queued  2 wait, 1 of them for a person; the newest 200 of more"
	if all := lines(); all[1] != want[:79]+"…" || len(all) != 24 || !strings.Contains(all[23], "q quit") {
		t.Errorf("with programs the picture has %d lines:\n%s", len(all), v.m.Text())
	}
	if text := v.m.last.Text(); strings.Split(text, "\n")[1] != want {
		t.Errorf("one picture is\n%s", text)
	}
	s.unlisted = errors.New("not found")
	v.send(v.m.take())
	if text := v.m.Text(); strings.Contains(text, "programs:") || strings.Contains(text, "lost") {
		t.Errorf("of a server without programs the picture is\n%s", text)
	}
}

// TestRates: with more calls in a minute than are read, the rates are those of the time that
// the calls span.
func TestRates(t *testing.T) {
	now := time.Now()
	list := client.CallList{}
	for i := range 1000 { // ten a second of one tool, of which a tenth fails, and ten of another
		ended := now.Add(-time.Duration(i) * 50 * time.Millisecond)
		c := client.CallSummary{Tool: fmt.Sprint("tool_", i%2), Status: "success", EndedAt: &ended}
		if i%20 == 0 {
			c.Status = "error"
		}
		list.Calls = append(list.Calls, c)
	}
	for next, want := range map[string]string{"": "500 50", "more": "601 60"} {
		list.Next = next
		s := Snapshot{Tools: toolsOf(list.Calls, spanOf(list, now))}
		if row := s.rows("tools")[0]; row[0] != "tool_0" || row[1]+" "+row[2] != want {
			t.Errorf("with the cursor %q the row is %q, want tool_0 with %s", next, row, want)
		}
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	s := &stand{}
	v := opened(t, s)
	v.press("c")
	v.wants("select a call first")
	v.press("4", "down", "c")
	v.wants("cancel call c-1? y cancels it")
	v.press("n")
	v.wants("not cancelled")
	v.send(v.press("c", "y"))
	v.wants("c-1 is done cancelled")
	s.fail(errors.New("forbidden"))
	v.send(v.press("c", "y"))
	v.wants("not cancelled: forbidden")
	if len(s.cancelled) != 2 || s.cancelled[0] != "c-1" {
		t.Errorf("cancelled: %q", s.cancelled)
	}
	if _, ok := v.press("q").(tea.QuitMsg); !ok {
		t.Error("q does not quit")
	}
}

// TestConnectionLost: the last picture stays, and the view goes on when the server is back.
func TestConnectionLost(t *testing.T) {
	t.Parallel()
	s := &stand{}
	v := opened(t, s)
	s.fail(errors.New("no\x1b answer"))
	if cmd := v.send(v.m.take()); cmd == nil {
		t.Fatal("after a failure nothing is tried again")
	}
	v.wants("connection lost since", "trying again: no\uFFFD answer", "default")
	s.fail(nil)
	v.send(v.m.take())
	if strings.Contains(v.m.Text(), "lost") {
		t.Errorf("the connection is back:\n%s", v.m.Text())
	}
}

// TestSizes: 10,000 tools, and every size of a terminal, give a picture that fits.
func TestSizes(t *testing.T) {
	t.Parallel()
	v := opened(t, &stand{tools: 10_000})
	v.press("3")
	v.wants("10000 rows")
	for _, size := range []tea.WindowSizeMsg{
		{Width: 200, Height: 60}, {Width: 80, Height: 24}, {Width: 20, Height: 6}, {Width: 1, Height: 1}, {Width: 0, Height: 0},
	} {
		v.send(size)
		for range 30 {
			v.press("down")
		}
		lines := strings.Split(v.m.Text(), "\n")
		if len(lines) > max(size.Height, 1) {
			t.Errorf("%d lines in a terminal of %+v", len(lines), size)
		}
		for _, line := range lines {
			if len([]rune(line)) > max(size.Width, 1) {
				t.Errorf("line %q in a terminal of %+v", line, size)
			}
		}
	}
}

// TestTerminal runs the program in a terminal without colors, which is resized, and ends it
// by its key.
func TestTerminal(t *testing.T) {
	t.Parallel()
	keys, screen, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer keys.Close()
	if err := pty.Setsize(keys, &pty.Winsize{Rows: 24, Cols: 100}); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var drawn strings.Builder
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := keys.Read(buf)
			mu.Lock()
			drawn.Write(buf[:n])
			mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	has := func(part string) {
		t.Helper()
		for end := time.Now().Add(30 * time.Second); ; <-time.After(20 * time.Millisecond) {
			mu.Lock()
			ok := strings.Contains(drawn.String(), part)
			mu.Unlock()
			if ok {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("the terminal shows no %q:\n%q", part, drawn.String())
			}
		}
	}
	done := make(chan error, 1)
	go func() {
		_, err := tea.NewProgram(New(t.Context(), &stand{}, 100*time.Millisecond), tea.WithInput(screen), tea.WithOutput(screen),
			tea.WithEnvironment([]string{"TERM=vt100", "NO_COLOR=1"}), tea.WithoutSignalHandler()).Run()
		done <- err
		_ = screen.Close()
	}()
	has("heavy")
	if err := pty.Setsize(keys, &pty.Winsize{Rows: 10, Cols: 60}); err != nil {
		t.Fatal(err)
	}
	press(t, keys, "4")
	has("c-1")
	press(t, keys, "q")
	if err := <-done; err != nil {
		t.Errorf("top ended with %v", err)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, color := range []string{"\x1b[31", "\x1b[32", "\x1b[38"} {
		if strings.Contains(drawn.String(), color) {
			t.Errorf("a terminal without colors got %q", color)
		}
	}
}

func press(t *testing.T, f *os.File, keys string) {
	t.Helper()
	if _, err := io.WriteString(f, keys); err != nil {
		t.Fatal(err)
	}
}
