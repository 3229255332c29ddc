package programs

import (
	"cmp"
	"strings"
)

// debian maps a program to the Debian package that contains it, if the names differ.
var debian = map[string]string{
	"awk": "gawk", "convert": "imagemagick", "diff": "diffutils", "docker": "docker.io", "exiftool": "libimage-exiftool-perl",
	"fd": "fd-find", "ffprobe": "ffmpeg", "find": "findutils", "go": "golang-go", "magick": "imagemagick", "node": "nodejs",
	"npx": "npm", "pdfimages": "poppler-utils", "pdfinfo": "poppler-utils", "pdftotext": "poppler-utils", "pip3": "python3-pip",
	"rg": "ripgrep", "sort": "coreutils", "ssh": "openssh-client", "wc": "coreutils",
}

// elsewhere maps a program that Debian does not have to the command that installs it.
var elsewhere = map[string]string{
	"aws":       "https://docs.aws.amazon.com/cli",
	"bun":       "npm install -g bun",
	"claude":    "npm install -g @anthropic-ai/claude-code",
	"codex":     "npm install -g @openai/codex",
	"deno":      "npm install -g deno",
	"gcloud":    "https://cloud.google.com/sdk/docs/install",
	"gemini":    "npm install -g @google/gemini-cli",
	"helm":      "https://helm.sh/docs/intro/install",
	"kubectl":   "https://kubernetes.io/docs/tasks/tools",
	"pnpm":      "npm install -g pnpm",
	"ruff":      "pip3 install ruff",
	"terraform": "https://developer.hashicorp.com/terraform/install",
}

// howTo returns how to install a program on Debian.
func howTo(name string) string {
	if how, known := elsewhere[name]; known {
		if strings.HasPrefix(how, "https:") {
			return "see " + how
		}
		return "'" + how + "'"
	}
	return "on Debian 'apt-get install " + cmp.Or(debian[name], name) + "'"
}
