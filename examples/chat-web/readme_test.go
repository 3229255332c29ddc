package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	command = regexp.MustCompile(`(?m)^\$ .*go run \./examples/(\S+) (.*)$`)
	place   = regexp.MustCompile("(?m)^\\| `(\\S+): (\\S+)` \\|")
)

func readme(t *testing.T, example string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", example, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// commandsOf returns the arguments of the commands that a README gives for its example.
func commandsOf(t *testing.T, example string) (all [][]string) {
	t.Helper()
	text := readme(t, example)
	for _, m := range command.FindAllStringSubmatch(text, -1) {
		if m[1] == example {
			all = append(all, strings.Fields(m[2]))
		}
	}
	if len(all) < 2 || !strings.Contains(text, "\n$ go run ./cmd/helve up\n") {
		t.Fatalf("%s gives %q, want Helve to be started and more than one command", example, all)
	}
	return all
}

// TestREADMEs: the commands of the READMEs work, with a Helve and a model of these tests,
// and what they point to is there.
func TestREADMEs(t *testing.T) {
	for _, args := range commandsOf(t, "chat-web") {
		m := serveModelOf(t, args)
		url, stop := startWebAs(t, append(args, "--data", t.TempDir(), "--server", helve.url, "--base-url", m.Base()))
		if page := (&visitor{t: t, url: url}).get(""); !strings.Contains(page.text, `src="chat.js"`) {
			t.Errorf("%q serves %+v", args, page)
		}
		hal := logIn(t, url, "hal")
		hal.say("hello")
		hal.sees("text", "You said: hello")
		stop()
	}
	for _, args := range commandsOf(t, "chat-terminal") {
		m := serveModelOf(t, args)
		ian := startTerminalAs(t, append(args, "--state", filepath.Join(t.TempDir(), "x"), "--server", helve.url, "--base-url", m.Base()))
		ian.types("hello")
		ian.sees("You said: hello")
		ian.leave()
	}
	for _, example := range []string{"chat-web", "chat-terminal"} {
		for _, m := range place.FindAllStringSubmatch(readme(t, example), -1) {
			text, err := os.ReadFile(filepath.Join("..", example, m[1]))
			if err != nil || !regexp.MustCompile(`(?m)^(export )?(async )?func(tion)? (\(.*\) )?`+m[2]+`\(`).Match(text) {
				t.Errorf("the README of %s points to %s in %s, which is not there (%v)", example, m[2], m[1], err)
			}
		}
	}
}
