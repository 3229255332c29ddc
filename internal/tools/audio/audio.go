// Package audio holds the tools that work on sound files.
//
// They look at sound through ffprobe and cut it with ffmpeg, which run confined to
// the caller's workspace and without a network. A file may still be made to mislead
// them: only formats that hold their own sound are opened, so that a playlist, which
// names other files or addresses, is refused whatever it is called. Where ffprobe is
// missing, WAV files are still understood.
package audio

import "github.com/helve-dev/helve/tool"

// Set is every tool in this package; each file adds its own.
var Set = tool.NewSet("Audio", "audio")
