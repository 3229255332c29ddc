package filesystem

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/helve-dev/helve/tool"
)

// readLines returns the lines from start to end, both counted from 1 and included; 0
// means the first and the last. A newline ends a line, so there is no empty line after
// the last one, and the newline (or CR LF) at the end of the result is omitted. It
// reads the whole text to count the lines.
func readLines(text io.Reader, start, end int) (string, *lines, error) {
	start = max(start, 1)
	var part []byte
	total, fresh := 0, true
	for in := bufio.NewReaderSize(text, 64<<10); ; {
		// A line longer than the buffer arrives in pieces.
		piece, err := in.ReadSlice('\n')
		if len(piece) > 0 && fresh {
			total++
		}
		if total >= start && (end == 0 || total <= end) {
			part = append(part, piece...)
		}
		if len(part) > maxRead+len("\r\n") {
			return "", nil, tool.Fail(tool.FileTooLarge, "The lines from %d are larger than %d bytes (1MB); ask for fewer.", start, maxRead)
		}
		fresh = bytes.HasSuffix(piece, []byte("\n"))
		switch {
		case errors.Is(err, io.EOF):
			if start > max(total, 1) {
				return "", nil, tool.Fail(tool.ValidationError, "startLine %d is past the end: the file has %d lines.", start, total)
			}
			last := total
			if end != 0 {
				last = min(end, total)
			}
			return string(trimEnd(part)), &lines{Start: start, End: last, Total: total}, nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return "", nil, err
		}
	}
}

func trimEnd(part []byte) []byte {
	if cut, ok := bytes.CutSuffix(part, []byte("\n")); ok {
		return bytes.TrimSuffix(cut, []byte("\r"))
	}
	return part
}
