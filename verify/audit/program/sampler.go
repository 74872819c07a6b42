package program

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"

	"checkrr/verify/audit"
)

// perRequest is the most outputs that a program is asked for at once, and replySize about the most bytes of a
// reply, and half of what one may have: of long outputs, fewer are asked for, once it is known how long they are.
var (
	perRequest = 10_000
	replySize  = 8 << 20
)

// On returns the mechanism on an input. With parts, every output must name the part of the
// output partition that it is in.
//
// If the context of [audit.Sampler.Sample] ends, the sample holds the replies up to then,
// each as a whole.
func (p *Program) On(input json.RawMessage, parts bool) audit.Sampler {
	return sampler{p, input, parts}
}

type sampler struct {
	program *Program
	input   json.RawMessage
	parts   bool
}

// Sample implements [audit.Sampler].
func (s sampler) Sample(ctx context.Context, n int, seed [32]byte, into *audit.Sample) error {
	return s.draw(ctx, n, seed, func() *audit.Sample { return into }, func(*audit.Sample) error { return nil })
}

// Stream implements [audit.Streamer]: reply by reply.
func (s sampler) Stream(ctx context.Context, n int, seed [32]byte, each func(*audit.Sample) error) error {
	return s.draw(ctx, n, seed, func() *audit.Sample { return &audit.Sample{} }, each)
}

// draw draws n outputs. The outputs of a reply are added to what place returns, and then shown to each.
func (s sampler) draw(ctx context.Context, n int, seed [32]byte, place func() *audit.Sample,
	each func(*audit.Sample) error) error {
	for chunk := uint64(0); n > 0; chunk++ {
		r := request{Input: s.input, N: min(n, s.program.atOnce()), Seed: subSeed(seed, chunk)}
		into := place()
		err := s.program.ask(ctx, r, func(id int, line []byte) error {
			s.program.longest.Store(max(s.program.longest.Load(), int64(len(line)/r.N)))
			first, err := decode(line, id, r.N, s.program.most, s.parts, into)
			if err == nil {
				err = s.program.compare(s.input, first)
			}
			return err
		})
		if err == nil {
			err = each(into)
		}
		if err != nil {
			return err
		}
		n -= r.N
	}
	return nil
}

// atOnce returns how many outputs the program is asked for at once, at most.
func (p *Program) atOnce() int {
	return max(1, min(perRequest, min(replySize, p.mostLine/2)/int(p.longest.Load()+1)))
}

// subSeed returns the seed of a request: 53 bits of SHA-256 of the seed and the number of
// the request.
func subSeed(seed [32]byte, chunk uint64) uint64 {
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(seed[:], chunk))
	return binary.BigEndian.Uint64(sum[:]) >> 11
}

// compare returns an error if outputs on an input begin as those of the reply before.
func (p *Program) compare(input json.RawMessage, first beginning) error {
	if p.firsts == nil {
		p.firsts = map[string]beginning{}
	}
	before := p.firsts[string(input)]
	p.firsts[string(input)] = first
	if before.repeats(first) {
		return errors.New("the outputs are those of an earlier reply to another seed, must be drawn anew")
	}
	return nil
}
