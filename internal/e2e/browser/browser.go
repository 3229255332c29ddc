package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/helve-dev/helve/internal/testtime"
)

// Browser is a running Chromium.
type Browser struct {
	t    *testing.T
	to   *os.File
	from *os.File
	done chan struct{} // closed when the browser ended

	writing sync.Mutex // apart from mu: a full pipe must not keep answers from being read

	mu      sync.Mutex
	asked   int
	waiting map[int]chan answer
	tabs    map[string]*Tab // by session
	ended   bool
}

// answer is a message of the browser: the answer to a command, or an event.
type answer struct {
	ID        int             `json:"id"`
	SessionID string          `json:"sessionId"`
	Method    string          `json:"method"`
	Params    json.RawMessage `json:"params"`
	Result    json.RawMessage `json:"result"`
	Error     json.RawMessage `json:"error"`
}

// Start starts a browser, which ends with the test. Without Chromium the test is skipped,
// in CI it fails.
func Start(t *testing.T) *Browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skipf("THE CONSOLE IS NOT TESTED, install chromium: %v", err)
	}
	theirs, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, answers, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--no-first-run", "--hide-scrollbars", "--force-color-profile=srgb", "--lang=en-US", "--user-data-dir="+t.TempDir(), "--remote-debugging-pipe")
	cmd.ExtraFiles = []*os.File{theirs, answers} // 3 and 4, as it wants them
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = theirs.Close(), answers.Close()
	b := &Browser{t: t, to: to, from: from, done: make(chan struct{}), waiting: map[int]chan answer{}, tabs: map[string]*Tab{}}
	go b.read()
	t.Cleanup(func() {
		b.send("", 0, "Browser.close", nil)
		select {
		case <-b.done:
		case <-after():
			_ = cmd.Process.Kill()
			<-b.done
			t.Error("the browser did not end")
		}
		_ = cmd.Wait()
		_, _ = to.Close(), from.Close()
	})
	return b
}

// read hands each message of the browser to what waits for it, until it ends.
func (b *Browser) read() {
	defer close(b.done)
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.ended = true
		for _, c := range b.waiting {
			close(c)
		}
		b.waiting = nil
	}()
	for in := bufio.NewReader(b.from); ; {
		text, err := in.ReadBytes(0)
		if err != nil {
			return
		}
		var a answer
		if json.Unmarshal(text[:len(text)-1], &a) != nil {
			continue
		}
		b.mu.Lock()
		c, tab := b.waiting[a.ID], b.tabs[a.SessionID]
		delete(b.waiting, a.ID)
		b.mu.Unlock()
		switch {
		case a.ID != 0 && c != nil:
			c <- a
		case a.Method != "" && tab != nil:
			tab.happened(a.Method, a.Params)
		}
	}
}

// send writes a command, and reports whether it could.
func (b *Browser) send(session string, id int, method string, params any) bool {
	command := map[string]any{"id": id, "method": method}
	if params != nil {
		command["params"] = params
	}
	if session != "" {
		command["sessionId"] = session
	}
	text, err := json.Marshal(command)
	if err != nil {
		return false
	}
	b.writing.Lock()
	defer b.writing.Unlock()
	_, err = b.to.Write(append(text, 0))
	return err == nil
}

// ask sends one command and decodes its answer.
func (b *Browser) ask(t testing.TB, session, method string, params, into any) {
	t.Helper()
	c := make(chan answer, 1)
	b.mu.Lock()
	b.asked++
	id, ended := b.asked, b.ended
	if !ended {
		b.waiting[id] = c
	}
	b.mu.Unlock()
	if ended || !b.send(session, id, method, params) {
		t.Fatalf("%s: the browser has ended", method)
	}
	select {
	case a, ok := <-c:
		if !ok || a.Error != nil {
			t.Fatalf("%s: %s", method, a.Error)
		}
		if into != nil {
			if err := json.Unmarshal(a.Result, into); err != nil {
				t.Fatal(err)
			}
		}
	case <-after():
		t.Fatalf("%s: the browser did not answer in %v", method, testtime.Patience())
	}
}
