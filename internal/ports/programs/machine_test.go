//go:build linux

package programs_test

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/programs"
	"github.com/helve-dev/helve/tool"
)

// What tools run finds what it needs, in each set of namespaces.
func TestProgramsOfTheMachine(t *testing.T) {
	everySpace(t, func(t *testing.T, space string) {
		port, _ := openIn(t, space, programs.Options{})
		for _, tt := range []struct {
			name string
			args []string
			says string
		}{
			{"git", []string{"init", "-b", "main", "repo"}, "Initialized"},
			{"git", []string{"-c", "alias.ceiling=!printenv GIT_CEILING_DIRECTORIES", "ceiling"}, "/"},
			{"python3", []string{
				"-c",
				"import ssl, socket, subprocess, tempfile, json; a, b = socket.socketpair(); print(subprocess.run(['sh', '-c', 'echo from sh'], " +
					"capture_output=True).stdout, tempfile.mkdtemp())",
			}, "from sh"},
			{"node", []string{
				"-e",
				"const c = require('child_process'); console.log(c.execSync('echo from sh', {shell: '/bin/sh'}).toString(), require('os').tmpdir())",
			}, "from sh"},
			{"ffmpeg", []string{"-v", "error", "-f", "lavfi", "-i", "sine=duration=1", "-y", "tone.wav"}, ""},
			{"ffprobe", []string{"-v", "error", "-show_entries", "format=duration", "tone.wav"}, "duration=1.0"},
			{"pdftotext", []string{"-v"}, "pdftotext version"},
		} {
			if _, err := port.Find(tt.name); err != nil {
				t.Logf("NOT TESTED: there is no %s", tt.name)
				continue
			}
			ran := run(t, port, tool.Program{Name: tt.name, Args: tt.args})
			said := string(ran.Stdout) + string(ran.Stderr)
			if tt.name != "pdftotext" && ran.Code != 0 || !strings.Contains(said, tt.says) {
				t.Errorf("%s: %d, %q", tt.name, ran.Code, said)
			}
		}
	})
}

// Processes that start each other without end are ended all the same.
func TestAnEndlessChain(t *testing.T) {
	everySpace(t, func(t *testing.T, space string) {
		port, _ := openIn(t, space, programs.Options{})
		mark := seconds(t, 70)
		ran := run(t, port, sh(`link() { (sleep `+mark+` & link) & } ; link; sleep 0.2; exit 3`))
		if ran.Code != 3 {
			t.Errorf("Run = %+v", ran)
		}
		if left := living(t, mark); len(left) > 0 {
			t.Errorf("these live on: %q", left)
		}
	})
}
