package heartbeatgap

import "slices"

// A podSet has the hashes of names of pods, the smallest maxPods of them: what
// is asked of a name is only whether it is there.
type podSet []uint64

func (s *podSet) add(hash uint64) {
	i, found := slices.BinarySearch(*s, hash)
	if !found && i < maxPods {
		*s = slices.Insert((*s)[:min(len(*s), maxPods-1)], i, hash)
	}
}

func (s *podSet) merge(o podSet) {
	for _, hash := range o {
		s.add(hash)
	}
}
