// Package audio holds the tools that read and cut sound files, speak texts and write down
// what is said.
//
// They inspect sound with ffprobe and cut it with ffmpeg. Both programs run confined to
// the caller's workspace and without a network. A file may still try to mislead them,
// so only formats that contain their own sound are opened: a playlist, which names
// other files or addresses, is refused whatever its extension. Without ffprobe, only
// WAV files are supported.
//
// Speech is made and understood by models of services. A recording is read from the
// workspace or fetched by the worker, so a provider gets contents and never a path or an
// address. A request is sent once; the next provider is used only if the one before
// certainly did nothing. What is paid for is stored before the call returns; an error names a
// cost that there may have been.
package audio

import "github.com/helve-dev/helve/tool"

// Set holds the tools of this package; each file adds its own.
var Set = tool.NewSet("Audio", "audio")
