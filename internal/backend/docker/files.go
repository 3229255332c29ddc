package docker

import (
	"archive/tar"
	"bytes"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/helve-dev/helve/tool"
)

const (
	mostFiles     = 64
	mostFileBytes = 8 << 20
	tarBlock      = 512
)

// pack makes an archive of files, by name.
func pack(files map[string][]byte) ([]byte, error) {
	total := 0
	for name, text := range files {
		total += len(text)
		if !filepath.IsLocal(name) || name == "." || strings.ContainsAny(name, "\\\x00") {
			return nil, tool.Fail(tool.PathNotAllowed, "Access denied: the file %q is outside the container's working directory", name)
		}
	}
	if len(files) > mostFiles || total > mostFileBytes {
		return nil, tool.Fail(tool.FileTooLarge, "The files for a container are too large: at most %d files of %d bytes in all.", mostFiles, mostFileBytes)
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

// unpack takes as many blocks from its input as there are and leaves the rest to the
// command. The engine cannot copy files into a file system in memory, and a mounted
// directory would have to be on the engine's machine.
const unpack = `dd bs=512 count="$1" iflag=fullblock 2>/dev/null | tar -xf - || exit 125; shift; exec "$@"`

func unpacking(size int, command []string) []string {
	return append([]string{"/bin/sh", "-c", unpack, "sh", strconv.Itoa(size / tarBlock)}, command...)
}
