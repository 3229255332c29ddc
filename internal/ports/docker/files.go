package docker

import (
	"archive/tar"
	"bytes"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

const (
	mostFiles     = 64
	mostFileBytes = 8 << 20
	tarBlock      = 512
)

// pack builds an archive of files, by name.
func pack(files map[string][]byte) ([]byte, error) {
	total := 0
	for name, text := range files {
		total += len(text)
		if !filepath.IsLocal(name) || name == "." || strings.ContainsAny(name, "\\\x00") {
			return nil, tool.Fail(tool.PathNotAllowed, "Access denied: the file %q is outside the container's working directory", name)
		}
	}
	if len(files) > mostFiles || total > mostFileBytes {
		return nil, tool.Fail(tool.FileTooLarge, "The files for a container are too large: at most %d files of %d bytes in all.",
			mostFiles, mostFileBytes)
	}
	var w bytes.Buffer
	archive := tar.NewWriter(&w)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := archive.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name])), Format: tar.FormatPAX}); err != nil {
			return nil, err
		}
		if _, err := archive.Write(files[name]); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	return w.Bytes(), nil
}

// enter is the shell script that starts every command. It unpacks the files from its
// input and leaves the rest to the command: the engine cannot copy files into a file
// system in memory, and a mounted directory would have to be on the engine's machine.
// The script also changes into the working directory, because an engine creates the
// configured working directory with root as owner, and a file system in memory takes
// over the mode of its mount point. The command ends some time after its deadline even
// if the worker has died by then.
const enter = `refuse() { echo "` + refusal + `$1" >&2; exit ` + refusalCode + `; }
cd /work && [ -w . ] || refuse "it has a directory /work of its own"
if [ "$1" -gt 0 ]; then
	command -v dd >/dev/null && command -v tar >/dev/null || refuse "it lacks dd or tar"
	dd bs=512 count="$1" iflag=fullblock 2>/dev/null | tar -xf - || refuse "files could not be put into it"
fi
cd "$2" || refuse "its user cannot enter $2"
limit=$3
shift 3
command -v "$1" >/dev/null || refuse "it has no program $1"
if command -v timeout >/dev/null; then
	exec timeout -s KILL "$limit" "$@"
fi
exec "$@"`

// The script's output and exit code if the image is unsuitable.
const (
	refusal     = "helve: "
	refusalCode = "125"
)

// entering returns the command that starts another one in the directory dir, after it
// has unpacked an archive of this size.
func entering(size int, dir string, limit time.Duration, command []string) []string {
	seconds := int(math.Ceil(limit.Seconds()))
	return append([]string{"/bin/sh", "-c", enter, "sh", strconv.Itoa(size / tarBlock), dir, strconv.Itoa(seconds)}, command...)
}

// unsuited returns an error if the image could not run the command. A command can
// imitate this, but affects only its own result.
func unsuited(ran tool.Contained) error {
	reason, found := strings.CutPrefix(string(ran.Stderr), refusal)
	if !found || strconv.Itoa(ran.Code) != refusalCode {
		return nil
	}
	return tool.Fail(tool.NotConfigured,
		"The Docker image %s cannot be used: %s. The operator names another one with docker.images: [LANGUAGE=IMAGE]",
		ran.Image, strings.TrimSpace(reason))
}
