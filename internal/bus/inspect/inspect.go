package inspect

import (
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/subject"
)

// Inspector reads the queue of calls from outside.
type Inspector struct {
	conn *natsio.Conn
	tree subject.Tree
	cut  func(token string) (pool, lane string)
}

// New returns an inspector of the queue on a connection. Cut splits the token of a subject, or
// the name of a consumer, into a pool and its lane.
func New(conn *natsio.Conn, cut func(token string) (pool, lane string)) *Inspector {
	return &Inspector{conn: conn, tree: conn.Tree(), cut: cut}
}
