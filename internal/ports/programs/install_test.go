package programs

import (
	"errors"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestInstalling(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"git": "on Debian 'apt-get install git'", "pdftotext": "on Debian 'apt-get install poppler-utils'",
		"node":   "on Debian 'apt-get install nodejs'",
		"claude": "'npm install -g @anthropic-ai/claude-code'", "terraform": "see https://developer.hashicorp.com/terraform/install",
	} {
		if got := howTo(name); got != want {
			t.Errorf("howTo(%s) = %q, want %q", name, got, want)
		}
	}
	none := &Programs{options: Options{Path: t.TempDir()}}
	_, err := (&runner{programs: none}).Find("ffprobe")
	if e, ok := errors.AsType[*tool.Error](err); !ok || e.Kind != tool.NotConfigured || !strings.Contains(e.Msg, "apt-get install ffmpeg") ||
		!strings.Contains(e.Msg, "programs.path") {
		t.Errorf("Find of a missing program = %v, want the package and the setting", err)
	}
}
