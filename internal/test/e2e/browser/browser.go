package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/helve-dev/helve/internal/test/testtime"
)

// Browser is a Chromium that the tests of a package share. The zero value starts with its
// first tab.
type Browser struct {
	starting sync.Mutex
	failed   error
	cmd      *exec.Cmd // nil before the start
	dir      string
	to       *os.File
	from     *os.File
	done     chan struct{} // closed when the browser ended

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

// started starts the browser, if no test has. Without Chromium the test is skipped, in CI it
// fails.
func (b *Browser) started(t *testing.T) {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skipf("THE CONSOLE IS NOT TESTED, install chromium: %v", err)
	}
	b.starting.Lock()
	defer b.starting.Unlock()
	if b.cmd == nil && b.failed == nil {
		b.failed = b.start(path)
	}
	if b.failed != nil {
		t.Fatal("the browser did not start: ", b.failed)
	}
}

func (b *Browser) start(path string) (err error) {
	if b.dir, err = os.MkdirTemp("", "chromium"); err != nil {
		return err
	}
	theirs, to, err := os.Pipe()
	if err != nil {
		return err
	}
	from, answers, err := os.Pipe()
	if err != nil {
		return err
	}
	// It outlives the test that starts it.
	cmd := exec.CommandContext(context.Background(), path, "--headless",
		"--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
		"--disable-background-networking", "--disable-component-update", "--disable-extensions", "--disable-sync", "--force-color-profile=srgb",
		"--lang=en-US",
		"--user-data-dir="+b.dir, "--remote-debugging-pipe")
	cmd.ExtraFiles = []*os.File{theirs, answers} // 3 and 4, as it wants them
	if err := cmd.Start(); err != nil {
		return err
	}
	_, _ = theirs.Close(), answers.Close()
	b.cmd, b.to, b.from, b.done, b.waiting, b.tabs = cmd, to, from, make(chan struct{}), map[int]chan answer{}, map[string]*Tab{}
	go b.read()
	return nil
}

// Tests returns the tests of a package, after which the browser ends.
func (b *Browser) Tests(m *testing.M) Tests { return Tests{m, b} }

// Tests are the tests of a package and their browser.
type Tests struct {
	m *testing.M
	b *Browser
}

// Run runs the tests and ends the browser. Most tests wait for the clock of a page or of a
// server at times, so twice as many run concurrently as there are processors.
func (t Tests) Run() (code int) {
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code = t.m.Run()
	if err := t.b.end(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return max(code, 1)
	}
	return code
}

func (b *Browser) end() (err error) {
	if b.dir != "" {
		defer func() { _ = os.RemoveAll(b.dir) }()
	}
	if b.cmd == nil {
		return nil
	}
	b.send("", 0, "Browser.close", nil)
	select {
	case <-b.done:
	case <-after():
		_ = b.cmd.Process.Kill()
		<-b.done
		err = errors.New("the browser did not end")
	}
	_ = b.cmd.Wait()
	_, _ = b.to.Close(), b.from.Close()
	return err
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
	if refused := b.request(t, session, method, params, into); refused != "" {
		t.Fatalf("%s: %s", method, refused)
	}
}

// request is ask for commands that the browser may refuse; it returns the error of the browser,
// "" for none.
func (b *Browser) request(t testing.TB, session, method string, params, into any) (refused string) {
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
		if !ok {
			t.Fatalf("%s: the browser has ended", method)
		}
		if a.Error != nil {
			return string(a.Error)
		}
		if into != nil {
			if err := json.Unmarshal(a.Result, into); err != nil {
				t.Fatal(err)
			}
		}
	case <-after():
		t.Fatalf("%s: the browser did not answer in %v", method, testtime.Patience())
	}
	return ""
}
