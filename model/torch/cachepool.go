package torch

import "slices"

// cachePool keeps the keys and values of an engine's caches within a budget.
// Where one more would exceed it, those not used for longest are dropped; a
// dropped cache computes them anew from its tokens when it is used again. All of
// it runs on LibTorch's thread.
type cachePool struct {
	budget int64 // bytes; 0: no limit
	used   int64 // bytes
	// caches have keys and values, the one not used for longest first.
	caches []*cache
	drops  int // caches dropped so far
}

// touch makes c the one used last.
func (p *cachePool) touch(c *cache) {
	p.remove(c)
	p.caches = append(p.caches, c)
}

func (p *cachePool) remove(c *cache) {
	if i := slices.Index(p.caches, c); i >= 0 {
		p.caches = slices.Delete(p.caches, i, i+1)
	}
}

// makeRoom drops caches until there is room for so many more bytes, or nothing
// more can be dropped. keep stays, and so do those in use.
func (p *cachePool) makeRoom(bytes int64, keep *cache) {
	for i := 0; i < len(p.caches) && p.budget > 0 && p.used+bytes > p.budget; {
		c := p.caches[i]
		if c.busy.Load() || c == keep {
			i++
			continue
		}
		c.drop()
		p.drops++
	}
}
