package docker

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
)

// sweepEvery is the shortest interval between sweeps.
const sweepEvery = time.Minute

// Sweep removes the containers that dead workers left behind and returns their number.
// It leaves containers that may still be running, including those of other workers.
func (d *Docker) Sweep(ctx context.Context) (int, error) { return d.sweep(ctx, time.Now()) }

func (d *Docker) sweep(ctx context.Context, now time.Time) (int, error) {
	ctx, cancel := ask(ctx)
	defer cancel()
	ours := client.Filters{}.Add("label", labelOurs)
	list, err := d.engine.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: ours})
	if err != nil {
		return 0, engineError(ctx, err, "it was asked for old containers")
	}
	removed := 0
	var errs []error
	for _, c := range list.Items {
		if !expired(c, now) {
			continue
		}
		if err := d.remove(ctx, c.ID); err != nil {
			errs = append(errs, err)
			continue
		}
		removed++
	}
	return removed, errors.Join(errs...)
}

// expired reports whether no worker can still need a container.
func expired(c container.Summary, now time.Time) bool {
	deadline, err := strconv.ParseInt(c.Labels[labelDeadline], 10, 64)
	return err != nil || now.After(time.Unix(deadline, 0))
}

// sweepSometimes sweeps in the background of a run, if the last sweep is old enough.
func (d *Docker) sweepSometimes() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if time.Since(d.swept) < sweepEvery {
		return
	}
	d.swept = time.Now()
	d.removal.Go(func() { _, _ = d.Sweep(context.Background()) }) // the next sweep tries again
}

// remove kills and removes a container. It succeeds if the container does not exist.
func (d *Docker) remove(ctx context.Context, id string) error {
	_, err := d.engine.ContainerRemove(ctx, id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
	if errdefs.IsNotFound(err) || errdefs.IsConflict(err) { // conflict: it is being removed
		return nil
	}
	return err
}
