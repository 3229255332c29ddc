package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

// helveSystem is helve up, whose own worker is paused.
type helveSystem struct {
	dir, binary string
	server      *process
}

func startHelve(ctx context.Context, dir string, o options) (*helveSystem, error) {
	s := &helveSystem{dir: filepath.Join(dir, "helve"), binary: o.worker}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, err
	}
	var err error
	s.server, err = start(ctx, s.dir, "up", o.helve,
		"up", "--data", filepath.Join(s.dir, "data"), "--nats", "127.0.0.1:0", "--http", "127.0.0.1:0",
		"--diagnostics", "--log-level", "warn")
	if err != nil {
		return nil, err
	}
	var list struct {
		Workers []struct {
			ID string `json:"id"`
		} `json:"workers"`
	}
	if err := s.ask(ctx, http.MethodGet, "/v1/workers", nil, &list); err != nil {
		return nil, err
	}
	for _, w := range list.Workers {
		if err := s.ask(ctx, http.MethodPost, "/v1/workers/"+w.ID+"/pause", map[string]string{}, nil); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *helveSystem) name() string { return "Helve" }
func (s *helveSystem) disk() string { return s.dir }

func (s *helveSystem) worker(ctx context.Context, n int) (*process, error) {
	return start(ctx, s.dir, fmt.Sprintf("worker-%d", n), s.binary, "--nats", s.server.ready["nats"], "--http", "127.0.0.1:0", "--diagnostics",
		"--data", filepath.Join(s.dir, fmt.Sprintf("worker-%d", n)), "--log-level", "warn")
}

func (s *helveSystem) close() { s.server.stop() }

// ask makes a request of the API.
func (s *helveSystem) ask(ctx context.Context, method, path string, body, into any) error {
	var sent io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, s.server.ready["http"]+path, sent)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode >= 300 {
		return fmt.Errorf("%s %s = %d %.300s", method, path, res.StatusCode, data)
	}
	if into == nil {
		return nil
	}
	if text, ok := into.(*string); ok {
		*text = string(data)
		return nil
	}
	return json.Unmarshal(data, into)
}

func (s *helveSystem) run(ctx context.Context, id string, steps int, pause time.Duration) error {
	call := "tools.debug.echo({value: 1})"
	if pause > 0 {
		call = fmt.Sprintf("tools.debug.sleep({ms: %d})", pause.Milliseconds())
	}
	code := fmt.Sprintf("let sum = 0; for (let i = 0; i < %d; i++) { await %s; sum++ } return sum", steps, call)
	for {
		var answer struct {
			Results []struct {
				Status, Message string
				Result          int
			}
		}
		err := s.ask(ctx, http.MethodPost, "/v1/execute", map[string]any{
			"context": map[string]string{"user": "ann"}, "wait_ms": 60_000,
			"calls": []any{map[string]any{
				"call_id": id, "tool": "run_program", "arguments": map[string]string{"code": code}, "wait_for_worker": true,
			}},
		}, &answer)
		if err != nil {
			return err
		}
		switch r := answer.Results[0]; {
		case r.Status == "pending":
		case r.Status != "success" || r.Result != steps:
			return fmt.Errorf("job %s: %s %d %s", id, r.Status, r.Result, r.Message)
		default:
			return nil
		}
	}
}

var journal = regexp.MustCompile(`(?m)^helve_program_journal_bytes_total (\S+)$`)

// written returns the bytes of all journals.
func (s *helveSystem) written(ctx context.Context) (int64, error) {
	var text string
	if err := s.ask(ctx, http.MethodGet, "/metrics", nil, &text); err != nil {
		return 0, err
	}
	found := journal.FindStringSubmatch(text)
	if found == nil {
		return 0, errors.New("there is no metric of the journals")
	}
	n, err := strconv.ParseFloat(found[1], 64)
	return int64(n), err
}

// history returns the bytes and the entries of the journal of one more job.
func (s *helveSystem) history(ctx context.Context, id string, steps int) (bytes, entries int64, err error) {
	before, err := s.written(ctx)
	if err == nil {
		err = s.run(ctx, id+"-history", steps, 0)
	}
	if err != nil {
		return 0, 0, err
	}
	after, err := s.written(ctx)
	return after - before, int64(steps), err // an entry has what the code made, and what it then saw
}

// ended returns when each step of a job ended.
func (s *helveSystem) ended(ctx context.Context, id string) (all []time.Time, err error) {
	var p struct {
		Steps []struct {
			EndedAt *time.Time `json:"ended_at"`
		} `json:"steps"`
	}
	if err := s.ask(ctx, http.MethodGet, "/v1/programs/"+id, nil, &p); err != nil {
		return nil, err
	}
	for _, step := range p.Steps {
		if step.EndedAt != nil {
			all = append(all, *step.EndedAt)
		}
	}
	return all, nil
}
