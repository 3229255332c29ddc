package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// node is a process that the benchmark has started.
type node struct {
	role  string
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines chan string // closed when the process ends
	log   string
	stop  func()

	// ready holds the words key=value of its first line; took is the time until that
	// line.
	ready map[string]string
	took  time.Duration
}

const (
	// startTimeout limits the time until the ready line, answerTimeout the answer to an
	// order.
	startTimeout  = 30 * time.Second
	answerTimeout = 30 * time.Second
	// stopTimeout is the time after which a process that was asked to end is killed.
	stopTimeout = 10*time.Second + leaveWithin
)

// launch starts a command, which is killed when ctx ends, and waits for its ready line.
// Its standard error is appended to the file called log.
func launch(ctx context.Context, role string, argv, env []string, log string) (*node, error) {
	errs, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer errs.Close()
	n := &node{role: role, cmd: exec.CommandContext(ctx, argv[0], argv[1:]...), lines: make(chan string), log: log, ready: map[string]string{}}
	n.cmd.Env, n.cmd.Stderr, n.cmd.SysProcAttr = env, errs, dieWithParent()
	if n.stdin, err = n.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := n.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if err := n.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the %s: %w", role, err)
	}
	unheard := make(chan struct{})
	go n.listen(stdout, unheard)
	n.stop = sync.OnceFunc(func() {
		close(unheard)
		n.end()
	})
	line, err := n.read(ctx, startTimeout)
	if err != nil {
		n.stop()
		return nil, err
	}
	n.took = time.Since(began)
	for word := range strings.FieldsSeq(line) {
		key, value, _ := strings.Cut(word, "=")
		n.ready[key] = value
	}
	return n, nil
}

// listen forwards the output of the process until it ends or is no longer read, and
// then waits for its end.
func (n *node) listen(stdout io.Reader, unheard <-chan struct{}) {
	defer close(n.lines)
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		select {
		case n.lines <- lines.Text():
		case <-unheard:
		}
	}
	_ = n.cmd.Wait() // its log shows how it ended
}

// end asks the process to end and kills it if it does not.
func (n *node) end() {
	_ = n.stdin.Close()
	_ = n.cmd.Process.Signal(syscall.SIGTERM)
	kill := time.AfterFunc(stopTimeout, n.kill)
	defer kill.Stop()
	for range n.lines { // until it is closed
	}
}

// kill ends the process as kill -9 does.
func (n *node) kill() { _ = n.cmd.Process.Kill() }

// read returns the next output line of the process.
func (n *node) read(ctx context.Context, limit time.Duration) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the %s did not answer within %v", n.role, limit))
	defer cancel()
	select {
	case line, ok := <-n.lines:
		if !ok {
			return "", fmt.Errorf("the %s ended unasked: %s", n.role, n.lastWords())
		}
		return line, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// lastWords returns the end of the process's log.
func (n *node) lastWords() string {
	const most = 1000
	text, err := os.ReadFile(n.log)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(text[max(0, len(text)-most):]))
}

func (n *node) send(o order) error {
	line, err := json.Marshal(o)
	if err != nil {
		return err
	}
	if _, err := n.stdin.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("the %s does not listen: %w", n.role, err)
	}
	return nil
}

// hear reads one answer into out.
func (n *node) hear(ctx context.Context, limit time.Duration, out any) error {
	line, err := n.read(ctx, limit)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(line), out)
}

// usage requests the resource usage of the process.
func (n *node) usage(ctx context.Context) (usage, error) { return n.uses(ctx, order{}) }

// held returns the usage after the process freed unused memory.
func (n *node) held(ctx context.Context) (usage, error) { return n.uses(ctx, order{Collect: true}) }

func (n *node) uses(ctx context.Context, o order) (usage, error) {
	var u usage
	if err := n.send(o); err != nil {
		return u, err
	}
	return u, n.hear(ctx, answerTimeout, &u)
}

// obeyed sends the process an order that takes at most limit, and returns its answer.
func obeyed[T any](ctx context.Context, n *node, o order, limit time.Duration) (T, error) {
	var a answer[T]
	if err := n.send(o); err != nil {
		return a.Got, err
	}
	if err := n.hear(ctx, limit+answerTimeout, &a); err != nil {
		return a.Got, err
	}
	if a.Err != "" {
		return a.Got, fmt.Errorf("the %s: %s", n.role, a.Err)
	}
	return a.Got, nil
}
