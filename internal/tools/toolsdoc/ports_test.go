package toolsdoc

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"time"

	"github.com/helve-dev/helve/internal/ports/cache"
	"github.com/helve-dev/helve/internal/ports/desktop"
	"github.com/helve-dev/helve/internal/ports/docker"
	"github.com/helve-dev/helve/internal/ports/fonts"
	"github.com/helve-dev/helve/internal/ports/services"
	"github.com/helve-dev/helve/internal/ports/workspace"
	"github.com/helve-dev/helve/tool"
)

// The person who makes the examples' calls, and the agent, which has no record.
const (
	person = "ada"
	agent  = "assistant"
)

// equip returns the call of a tool with the ports it needs. The clock does not advance.
func (s *stage) equip(ctx context.Context, tl *tool.Tool) tool.Call {
	s.Helper()
	call := tool.Call{Tenant: s.tenant, User: person, Agent: agent}
	for _, port := range []struct {
		need tool.Needs
		make func()
	}{
		{tool.NeedFiles, func() { call.Files = s.files() }},
		{tool.NeedHTTP, func() { call.HTTP = s.http }},
		{tool.NeedTools, func() { call.Tools = inner{s} }},
		{tool.NeedSecrets, func() { call.Secrets = s.secrets(tl.Name) }},
		{tool.NeedCustomTools, func() { call.CustomTools = s.custom(ctx) }},
		{tool.NeedPrograms, func() { call.Programs = s.machine(tl.Name) }},
		{tool.NeedContainers, func() { call.Containers = s.containers() }},
		{tool.NeedDesktop, func() { call.Desktop = s.desktop() }},
		{tool.NeedFonts, func() { call.Fonts = fonts.New(nil) }},
		{tool.NeedCatalogue, func() { call.Catalogue = s.catalogue() }},
		{tool.NeedCache, func() { call.Cache = cache.New(1<<20).For(s.tenant, person) }},
		{tool.NeedStore, func() { call.Store = s.store(ctx) }},
		{tool.NeedDialer, func() { s.mail(&call) }}, // with secrets of its own
		{tool.NeedSchedules, func() { call.Schedules = s.schedules() }},
		{tool.NeedDurable, func() { call.Durable = runs{s} }},
	} {
		if tl.Needs.Has(port.need) {
			port.make()
		}
	}
	return call
}

// must ends the test if a part of the world cannot be created.
func must[T any](s *stage, part T, err error) T {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
	return part
}

func (s *stage) files() tool.Files {
	s.Helper()
	spaces, err := workspace.New(s.data)
	s.replaced("notes.txt", "Buy milk.\n")
	files, err := must(s, spaces, err).For(space, "")
	return dated{must(s, files, err)}
}

// replaced stores an earlier version of a file, as the port would have kept it.
func (s *stage) replaced(name, text string) {
	s.Helper()
	sum := sha256.Sum256([]byte(name))
	file := filepath.Join(place(s.data)+".versions",
		fixed.Add(time.Hour).Format("20060102T150405.000000")+"-k3f9."+hex.EncodeToString(sum[:16]))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
	if err := os.Chtimes(file, fixed, fixed); err != nil {
		s.Fatal(err)
	}
}

// dated is a workspace on a disk that reports the time of change as the time of
// creation, because the creation of this copy of the fixture is irrelevant.
type dated struct{ tool.Files }

func (d dated) Times(path string) (created, accessed time.Time, err error) {
	if _, _, err = d.Files.Times(path); err != nil {
		return time.Time{}, time.Time{}, err
	}
	return fixed, fixed, nil
}

// secrets is a config center with the accounts of a tool's example.
func (s *stage) secrets(name string) tool.Secrets {
	s.Helper()
	file := filepath.Join(s.data, "services.yaml")
	if err := os.WriteFile(file, []byte(account(name, s.tenant)), 0o600); err != nil {
		s.Fatal(err)
	}
	center, err := services.Open(file)
	return must(s, center, err).For(s.tenant, person)
}

// containers returns those of a machine without an engine.
func (s *stage) containers() tool.Containers {
	s.Helper()
	engine, err := docker.New(docker.Options{Host: "unix:///nonexistent/docker.sock", Dir: s.workspace})
	must(s, engine, err)
	s.Cleanup(func() {
		if err := engine.Close(); err != nil {
			s.Error(err)
		}
	})
	containers, err := engine.For(space, "")
	return must(s, containers, err)
}

// workspace returns the directory for programs and containers.
func (s *stage) workspace(string, string) (string, error) { return place(s.data), nil }

// desktop returns the desktop port of a worker that was not started in a session.
func (s *stage) desktop() tool.Desktop {
	s.Helper()
	d, err := desktop.New(desktop.Options{Env: []string{}})
	port, err := must(s, d, err).For(s.tenant, person)
	return must(s, port, err)
}
