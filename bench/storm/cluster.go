package storm

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// caughtUp waits until each stream has a leader and all its copies are current. A
// server that was just restarted still reads what it missed: killing another one before
// that would mean losing two.
func (f *fleet) caughtUp(ctx context.Context) error {
	if len(f.nats) == 1 {
		return nil
	}
	return CaughtUp(ctx, f.server())
}

// CaughtUp waits until each stream of the cluster at url, of one or more servers, has a
// leader and all its copies are current.
func CaughtUp(ctx context.Context, url string) error {
	s, err := look(ctx, url)
	if err != nil {
		return err
	}
	defer s.close()
	for end := time.Now().Add(catchUp); ; {
		behind := s.behind(ctx)
		if behind == nil {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("the cluster is not whole after %v: %w", catchUp, behind)
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}

// catchUp is the time in which a server must read what it missed.
const catchUp = time.Minute

// behind returns the streams without a leader or with a copy that is not current, or
// nil.
func (s *streams) behind(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, clusterTimeout)
	defer cancel()
	list, n := s.js.ListStreams(ctx), 0
	for info := range list.Info() {
		n++
		if info.Cluster == nil || info.Cluster.Leader == "" {
			return fmt.Errorf("stream %s has no leader", info.Config.Name)
		}
		if len(info.Cluster.Replicas) != info.Config.Replicas-1 {
			return fmt.Errorf("stream %s has %d copies beside its leader's", info.Config.Name, len(info.Cluster.Replicas))
		}
		for _, peer := range info.Cluster.Replicas {
			if peer.Offline || !peer.Current {
				return fmt.Errorf("stream %s: the copy of %s is not current", info.Config.Name, peer.Name)
			}
		}
	}
	if list.Err() == nil && n == 0 {
		return errors.New("there are no streams")
	}
	return list.Err()
}

// clusterTimeout limits one query of a cluster, which may be without a leader.
const clusterTimeout = 5 * time.Second
