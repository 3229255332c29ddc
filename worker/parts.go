package worker

import "github.com/helve-dev/helve/internal/toolbox"

// Part is an optional part of a worker, from one of the packages below worker/parts: a
// program links only the code of the parts that it passes.
type Part = toolbox.Part
