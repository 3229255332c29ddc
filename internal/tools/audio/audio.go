// Package audio holds the tools that read and cut sound files.
//
// They inspect sound with ffprobe and cut it with ffmpeg. Both programs run confined to
// the caller's workspace and without a network. A file may still try to mislead them,
// so only formats that contain their own sound are opened: a playlist, which names
// other files or addresses, is refused whatever its extension. Without ffprobe, only
// WAV files are supported.
package audio

import "github.com/helve-dev/helve/tool"

// Set holds the tools of this package; each file adds its own.
var Set = tool.NewSet("Audio", "audio")
