package worker

import "go.uber.org/zap"

// warnAboutRoot logs that a worker runs as root: any fault of a tool could change every
// file.
func warnAboutRoot(log *zap.Logger, uid int) {
	if uid == 0 {
		log.Warn("worker runs as root",
			zap.String("advice", "run it as a user of its own: what its tools run is confined, but nothing needs root"))
	}
}
