package desktop

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

// mostClipboard limits the part of the clipboard that is read, in bytes.
const mostClipboard = 2 << 20

// clipboard describes a program that reads and writes the clipboard. Programs are used
// instead of a library, because the existing libraries support neither contexts nor
// limits, and would lose the selection when the worker's terminal closes.
type clipboard struct {
	variable    string // environment variable of the session that the program needs
	read, write []string
}

var clipboards = map[string][]clipboard{
	"linux": {
		{"WAYLAND_DISPLAY", []string{"wl-paste", "--no-newline", "--type", "text"}, []string{"wl-copy", "--type", "text/plain;charset=utf-8"}},
		{"DISPLAY", []string{"xclip", "-selection", "clipboard", "-out"}, []string{"xclip", "-selection", "clipboard", "-in"}},
		{"DISPLAY", []string{"xsel", "--clipboard", "--output"}, []string{"xsel", "--clipboard", "--input", "--logfile", "/dev/null"}},
	},
	"darwin": {{"", []string{"pbpaste"}, []string{"pbcopy"}}},
}

// clipboard returns the first available clipboard program, as its path and its
// arguments.
func (d *Desktop) clipboard(part func(clipboard) []string) (string, []string, error) {
	if err := d.graphical(); err != nil {
		return "", nil, err
	}
	for _, c := range clipboards[d.system] {
		program := part(c)
		if file, ok := d.find(program[0]); ok && (c.variable == "" || d.session[c.variable] != "") {
			return file, program[1:], nil
		}
	}
	return "", nil, tool.Fail(tool.NotConfigured, "There is no program for the clipboard on this machine: "+
		"install xclip ('apt-get install xclip'), under Wayland wl-clipboard ('apt-get install wl-clipboard')")
}

// ReadClipboard implements [tool.Desktop].
func (b *bound) ReadClipboard(ctx context.Context) (string, error) {
	file, args, err := b.clipboard(func(c clipboard) []string { return c.read })
	if err != nil {
		return "", err
	}
	cmd := b.command(file, args...)
	out, complaint := &capped{most: mostClipboard}, &capped{most: 4 << 10}
	cmd.Stdout, cmd.Stderr = out, complaint
	err = finish(ctx, cmd)
	switch {
	case err == nil || errors.Is(err, io.ErrShortWrite) || len(out.kept) == mostClipboard:
		return strings.ToValidUTF8(string(out.kept), "\uFFFD"), nil
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case nothingThere(string(complaint.kept)):
		return "", nil
	}
	return "", clipboardFailed(err, string(complaint.kept))
}

// nothingThere reports whether a program found no text, which it treats as an error.
func nothingThere(complaint string) bool {
	for _, phrase := range []string{"not available", "Nothing is copied", "No selection", "No suitable type"} {
		if strings.Contains(complaint, phrase) {
			return true
		}
	}
	return false
}

func clipboardFailed(err error, complaint string) error {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() >= 0 {
		return tool.Fail(tool.NotConfigured, "The clipboard cannot be reached: start the worker in the person's graphical session, "+
			"with 'worker --pools desktop'").Because(errors.Join(err, errors.New(complaint)))
	}
	return tool.Fail(tool.ExecutionError, "The program for the clipboard could not be run; see that it works on this machine").Because(err)
}

// WriteClipboard implements [tool.Desktop].
func (b *bound) WriteClipboard(ctx context.Context, text string) error {
	file, args, err := b.clipboard(func(c clipboard) []string { return c.write })
	if err != nil {
		return err
	}
	// It stays in the background to serve the text, so it must not hold a pipe.
	cmd := b.command(file, args...)
	cmd.Stdin = strings.NewReader(text)
	if err := finish(ctx, cmd); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return clipboardFailed(err, "")
	}
	return b.arrival(ctx, text)
}

// arrivalTime is the time within which written text must be readable.
const arrivalTime = time.Second

// arrival waits until the clipboard holds text: xclip and xsel return before the
// display has received it. Another program may have copied something by then, so a
// timeout is no error.
func (b *bound) arrival(ctx context.Context, text string) error {
	if b.system == "darwin" {
		return nil // its program returns when it is there
	}
	limited, cancel := context.WithTimeout(ctx, arrivalTime)
	defer cancel()
	for pause := 5 * time.Millisecond; ; pause *= 2 {
		got, err := b.ReadClipboard(limited)
		if err != nil || got == text {
			return ctx.Err()
		}
		select {
		case <-time.After(pause):
		case <-limited.Done():
			return ctx.Err()
		}
	}
}
