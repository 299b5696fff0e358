; The microcode of accelerators with `control: microcode`: the commands of the command set, one after the other. tools/isagen translates it
; (docs/reference/microcode.md says what the instructions do). Operands are words of the data memory: fields of commands (LD_SHAPE.inner), which a
; `fields` takes from the command word, others declared by `reg`; [p] is the word that the pointer is at, which moves on.

; What OUT writes.
port Rows           ; runner, all of these when it is ready: rows and columns of steps
port Cols
port PixelStep      ; atoms from one step to the next
port RowStep        ; atoms from one row of steps to the next
port StrideX        ; slab columns from one step to the next
port StrideY
port InRows         ; size of the slab
port InCols
port Zero           ; what features outside of it are
port Kernels        ; of the weight tile
port Weights        ; atom of the next weight tile
port Accumulate     ; 0: the next weight tile begins the sums
port Y              ; slab place of the first step
port X
port Word           ; accumulator word of the first step
port Go             ; one weight tile; the atom of its first step
port Address        ; reader: where the next burst begins; when idle
port Command        ; reader: begins a burst of that many bytes of the stream
port Data           ; the same, of data
port Get            ; bytes that are to come into the command word
port ToCbuf         ; 1: bytes go to the cbuf, 0: into the command word
port Dest           ; filler: the first atom
port Pixel          ; filler: bytes per pixel
port Kind           ; what is loaded, for the counters
port Phase          ; 0: commands, 1: load, 2: convolution, 3: store
port Mark           ; reports a mark of the phase's unit
port Sums           ; reads an accumulator word; when idle
port StoreAddress   ; writer: where a segment begins
port StoreBytes     ; and its bytes
port Byte           ; the next byte; when there is room
port Setn           ; places of SHL when above zero, of SHR when below; bit 8 other than bit 7: ABS is to change the sign
port Setm           ; the number of rounds of DJM
port Setp           ; the pointer

; What IN reads.
in StreamAddress
in StreamBytes
in Room             ; bytes from the reader's address to the next multiple of 256
in Reading          ; 1: a burst is under way
in Want             ; bytes that have not come into the command word yet
in Inside           ; 1: the filler is inside a pixel
in Sign             ; 2^8 when what ABS made positive was not
in Sum              ; the next kernel's sum of the word that was read
in AtomicK
in AccWords
in ParamGroups
in ParamStep        ; words of parameters of a kernel group

; What WAIT waits for.
wait Read           ; no burst is under way
wait Word           ; the bytes that were asked for have come, or no burst is under way
wait Run            ; every sum is written
wait Write          ; every write is acknowledged

reg stream
reg stream_left
reg offset          ; bytes of the stream that were read
reg c16             ; 2^16
reg c30
reg temp

; Tokens.
reg load_to_compute
reg compute_to_load
reg compute_to_store
reg store_to_compute
reg store_to_load

; Configuration words that have come.
reg source_seen
reg load_shape_seen
reg load_stride_seen
reg factor_seen
reg input_seen
reg kernel_seen
reg tile_seen
reg weights_seen
reg address_seen
reg store_shape_seen
reg store_stride_seen
reg quant_seen
reg store_tile_seen

; ----------------------------------------------------------------------------------------------- start
begin:
    in StreamAddress
    st stream
    in StreamBytes
    st stream_left
    ldi 0
    st offset
    st load_to_compute
    st compute_to_load
    st compute_to_store
    st store_to_compute
    st store_to_load
    st source_seen
    st load_shape_seen
    st load_stride_seen
    st factor_seen
    st input_seen
    st kernel_seen
    st tile_seen
    st weights_seen
    st address_seen
    st store_shape_seen
    st store_stride_seen
    st quant_seen
    st store_tile_seen
    st CV_RING.row
    st CV_RING.atoms
    ldi 16
    out Setn
    ldi 1
    shl
    st c16
    ldi 30
    out Setn
    ldi 1
    shl
    st c30

; ----------------------------------------------------------------------------------------------- commands
next:
    ldi 0
    out Phase
    out ToCbuf
    ld stream_left
    jz stream_end
    addi -8
    st stream_left
    ld stream
    out Address
    addi 8
    st stream
    ldi 8
    out Get
    out Command
    add offset
    st offset
    wait Word
    ext 6
    dispatch

stream_end:
    ld offset
    err STREAM_END
illegal:
    ld offset
    addi -8
    err ILLEGAL_COMMAND
not_built:
    ld offset
    addi -8
    err NOT_BUILT

END:
    fields END
    wait Read
    wait Run
    wait Write
    halt

; Commands of features that are not there.
LD_FOLD:
    fields LD_FOLD
LD_CODE:
    fields LD_CODE
CV_WINDOW:
    fields CV_WINDOW
DEPTHWISE:
    fields DEPTHWISE
ST_RESULT:
    fields ST_RESULT
ST_KEEP:
    fields ST_KEEP
ST_SOFTMAX:
    fields ST_SOFTMAX
ST_POST:
    fields ST_POST
    jmp next

; ----------------------------------------------------------------------------------------------- load
reg row             ; addresses: of the row, of the segment, of the next burst
reg segment
reg place
reg left            ; bytes of the segment that are not requested
reg inner           ; segments of the row
reg outer           ; rows
reg chunk
reg group           ; of the next record of parameters
reg kernels         ; records of the group
reg bias
reg factor
reg shift

LD_SOURCE:
    fields LD_SOURCE
    ldi 1
    st source_seen
    jmp next
LD_SHAPE:
    fields LD_SHAPE
    ldi 1
    st load_shape_seen
    jmp next
LD_STRIDE:
    fields LD_STRIDE
    ldi 1
    st load_stride_seen
    jmp next
LD_FACTOR:
    fields LD_FACTOR
    ldi 1
    st factor_seen
    jmp next
LD_MARK:
    ldi 1
    out Phase
    fields LD_MARK
    out Mark
    jmp next

no_load_words:
    ldi 0
    err NOT_CONFIGURED
LOAD:
    fields LOAD
    ldi 1
    out Phase
    ld source_seen
    jz no_load_words
    ld load_shape_seen
    jz no_load_words
    ld load_stride_seen
    jnz load_strided
    ld LD_SHAPE.inner
    add LD_SHAPE.outer
    addi -2
    jnz no_load_words
load_strided:
    ld LOAD.kind
    out Kind
    addi -2
    jnz load_tokens
    ld LD_SOURCE.pixel_bytes
    addi -4
    jnz load_tokens
    ld factor_seen
    jz no_load_words
load_tokens:
    ld LOAD.wait_compute
    jz load_token_store
    ld compute_to_load
    jz load_deadlock
load_token_store:
    ld LOAD.wait_store
    jz load_go
    ld store_to_load
    jz load_deadlock
    addi -1
    st store_to_load
load_go:
    ld LOAD.wait_compute
    jz load_setup
    ld compute_to_load
    addi -1
    st compute_to_load
load_setup:
    ld LD_SOURCE.address
    st row
    st segment
    st place
    ld LD_SHAPE.segment_bytes
    st left
    ld LD_SHAPE.inner
    st inner
    ld LD_SHAPE.outer
    st outer
    wait Run
    ld LOAD.kind
    addi -2
    jz load_params
    ld LOAD.dest
    out Dest
    ld LD_SOURCE.pixel_bytes
    out Pixel
    ldi 1
    out ToCbuf
load_bursts:
    call burst
    ld outer
    jnz load_bursts
    wait Read
    in Inside
    jnz load_length
load_done:
    ld LOAD.post_compute
    jz next
    ld load_to_compute
    addi 1
    st load_to_compute
    addi -256
    jnz next
    ldi 1
    err TOKEN_OVERFLOW
load_length:
    ldi 1
    err LOAD_LENGTH
load_deadlock:
    ldi 1
    err DEADLOCK

; Requests the next burst and goes on behind it.
burst:
    ld place
    out Address
    in Room
    min left
    st chunk
    out Data
    add place
    st place
    ld chunk
    rsb left
    st left
    jz burst_segment
    ret
burst_segment:
    ld LD_SHAPE.segment_bytes
    st left
    ld inner
    addi -1
    st inner
    jz burst_row
    ld segment
    add LD_STRIDE.inner_stride
    st segment
    st place
    ret
burst_row:
    ld LD_SHAPE.inner
    st inner
    ld outer
    addi -1
    st outer
    ld row
    add LD_STRIDE.outer_stride
    st row
    st segment
    st place
    ret

; Lets so many bytes come into the command word.
bytes:
    out Get
bytes_wait:
    wait Word
    in Want
    jz bytes_there
    ld outer
    jz load_length
    call burst
    jmp bytes_wait
bytes_there:
    ret

; Records of parameters: places and signs, bias, multiplier without its sign, of each kernel. How long that takes does not depend on them.
load_params:
    ld LD_SOURCE.pixel_bytes
    addi -12
    jz load_records
    addi 4
    jz load_records
    addi 4
    jnz load_length
load_records:
    ld LOAD.dest
    st group
    in ParamStep
    muli group
    addi parameters
    out Setp
    in AtomicK
    st kernels
load_record:
    in Reading
    add outer
    jz load_done
    in ParamGroups
    rsb group
    jge load_range
    ld LD_SOURCE.pixel_bytes
    addi -8
    jz load_compact
    ldi 4
    call bytes
    ext 32
    st bias
    ld LD_SOURCE.pixel_bytes
    addi -4
    jz load_uniform
    ldi 4
    call bytes
    ext 32
    st factor
    ldi 4
    call bytes
    ext 24
    exts 8
    jmp load_place
load_uniform:
    ld LD_FACTOR.multiplier
    st factor
    ld LD_FACTOR.shift
    jmp load_place
load_compact:
    ldi 8
    call bytes
    ext 30
    add c30
    st factor
    exts 6
    st shift
    exts 28
    st bias
    ld shift
load_place:
    st shift
    ld factor
    abs
    st factor
    in Sign
    add shift
    st [p]
    ld bias
    st [p]
    ld factor
    st [p]
    ld kernels
    addi -1
    st kernels
    jnz load_record
    in AtomicK
    st kernels
    ld group
    addi 1
    st group
    jmp load_record
load_range:
    ld group
    err PARAM_RANGE

; ----------------------------------------------------------------------------------------------- convolution
reg pixels
reg tile_down       ; atoms from one row of weight tiles to the next
reg tile_right
reg fresh
reg word            ; accumulator word of the group's first step
reg block_rows      ; rows that are computed at once
reg blocks
reg block_y
reg block_place
reg block_word
reg groups
reg tiles_y
reg tiles_x
reg y
reg x
reg tile_row        ; atom of the first step with the first weight tile of the row
reg tile            ; with this weight tile

CV_INPUT:
    fields CV_INPUT
    ldi 1
    st input_seen
    jmp next
CV_KERNEL:
    fields CV_KERNEL
    ldi 1
    st kernel_seen
    jmp next
CV_TILE:
    fields CV_TILE
    ldi 1
    st tile_seen
    jmp next
CV_WEIGHTS:
    fields CV_WEIGHTS
    ldi 1
    st weights_seen
    jmp next
CV_RING:
    fields CV_RING
    jmp next
CV_MARK:
    ldi 2
    out Phase
    fields CV_MARK
    wait Run
    out Mark
    jmp next

no_conv_words:
    ldi 1
    err NOT_CONFIGURED
conv_deadlock:
    ldi 2
    err DEADLOCK
conv_kernels:
    ld CV_WEIGHTS.last_kernels
    err KERNEL_COUNT
CONV:
    fields CONV
    ldi 2
    out Phase
    ld input_seen
    jz no_conv_words
    ld kernel_seen
    jz no_conv_words
    ld tile_seen
    jz no_conv_words
    ld weights_seen
    jz no_conv_words
    ld CONV.wait_load
    jz conv_token_store
    ld load_to_compute
    jz conv_deadlock
conv_token_store:
    ld CONV.wait_store
    jz conv_take
    ld store_to_compute
    jz conv_deadlock
conv_take:
    in AtomicK
    rsb CV_WEIGHTS.last_kernels
    jz conv_fits
    jge conv_kernels
conv_fits:
    ld CONV.wait_load
    jz conv_took_load
    ld load_to_compute
    addi -1
    st load_to_compute
conv_took_load:
    ld CONV.wait_store
    jz conv_took_store
    ld store_to_compute
    addi -1
    st store_to_compute
conv_took_store:
    ; Accumulator words: at most 4095 x 4095 pixels, then at most 65535 x 255.
    ld CV_TILE.rows
    muli CV_TILE.cols
    st pixels
    rsb c16
    jz conv_words
    jn conv_words
    ld pixels
    muli CV_WEIGHTS.groups
    add CONV.acc_base
    st temp
    in AccWords
    rsb temp
    jz conv_steps
    jge conv_words
conv_steps:
    ; What stays for all weight tiles.
    ld CV_INPUT.atoms
    muli CV_KERNEL.stride_x
    out PixelStep
    ld CV_INPUT.atoms
    muli CV_KERNEL.dilation_x
    st tile_right
    ld CV_KERNEL.stride_x
    out StrideX
    ld CV_KERNEL.stride_y
    out StrideY
    out Setm
    ldi 0
conv_row_step:
    add CV_KERNEL.row_pitch
    djm conv_row_step
    out RowStep
    st temp
    ld CV_KERNEL.dilation_y
    out Setm
    ldi 0
conv_tile_step:
    add CV_KERNEL.row_pitch
    djm conv_tile_step
    st tile_down
    ld CV_TILE.cols
    out Cols
    ld CV_INPUT.rows
    out InRows
    ld CV_INPUT.cols
    out InCols
    ld CV_INPUT.zero_point
    out Zero
    ld CV_TILE.y0
    st block_y
    ld CONV.origin
    st block_place
    ld CONV.acc_base
    st block_word
    ; All rows at once, unless some of them lie beyond the ring's end: then one by one.
    ldi 1
    st blocks
    ld CV_TILE.rows
    st block_rows
    ld CV_RING.atoms
    jz conv_block
    ld CV_KERNEL.kernel_h
    addi -1
    muli CV_KERNEL.dilation_y
    add CV_TILE.y0
    st y
    ld CV_TILE.rows
    addi -1
    muli CV_KERNEL.stride_y
    add y
    addi 1
    rsb CV_RING.row
    jge conv_block
    ld CV_TILE.rows
    st blocks
    ldi 1
    st block_rows
conv_block:
    ld CV_WEIGHTS.address
    out Weights
    ld block_rows
    out Rows
    ld block_word
    st word
    ld CV_WEIGHTS.groups
    st groups
conv_group:
    ld CONV.accumulate
    out Accumulate
    ld word
    out Word
    ld groups
    addi -1
    st groups
    jz conv_last_group
    in AtomicK
    jmp conv_kernels_known
conv_last_group:
    ld CV_WEIGHTS.last_kernels
conv_kernels_known:
    out Kernels
    ld block_y
    st y
    ld block_place
    st tile_row
    ld CV_KERNEL.kernel_h
    st tiles_y
conv_tile_row:
    ld y
    out Y
    ; Rows beyond the ring's end lie lower.
    rsb CV_RING.row
    jz conv_wrapped
    jge conv_not_wrapped
conv_wrapped:
    ld CV_RING.atoms
    rsb tile_row
    jmp conv_placed
conv_not_wrapped:
    ld tile_row
conv_placed:
    st tile
    ld CV_TILE.x0
    st x
    ld CV_KERNEL.kernel_w
    st tiles_x
conv_tile:
    ld CV_INPUT.atoms
    out Setm
    ld x
    out X
    add CV_KERNEL.dilation_x
    st x
    ld tile
conv_atom:
    out Go
    addi 1
    djm conv_atom
    ld tile
    add tile_right
    st tile
    ld tiles_x
    addi -1
    st tiles_x
    jnz conv_tile
    ld tile_row
    add tile_down
    st tile_row
    ld y
    add CV_KERNEL.dilation_y
    st y
    ld tiles_y
    addi -1
    st tiles_y
    jnz conv_tile_row
    ld word
    add pixels
    st word
    ld groups
    jnz conv_group
    ld block_word
    add CV_TILE.cols
    st block_word
    ld block_y
    add CV_KERNEL.stride_y
    st block_y
    ld block_place
    add temp
    st block_place
    ld blocks
    addi -1
    st blocks
    jnz conv_block
    ld CONV.post_load
    jz conv_post_store
    ld compute_to_load
    addi 1
    st compute_to_load
    addi -256
    jz conv_load_overflow
conv_post_store:
    ld CONV.post_store
    jz next
    ld compute_to_store
    addi 1
    st compute_to_store
    addi -256
    jnz next
    ldi 4
    err TOKEN_OVERFLOW
conv_load_overflow:
    ldi 2
    err TOKEN_OVERFLOW
conv_words:
    in AccWords
    max CONV.acc_base
    err ACC_RANGE

; ----------------------------------------------------------------------------------------------- store
reg low             ; least and greatest output without the zero point
reg high
reg store_pixels
reg sums
reg parameter       ; data word of the first group's parameters
reg value

ST_ADDRESS:
    fields ST_ADDRESS
    ldi 1
    st address_seen
    jmp next
ST_SHAPE:
    fields ST_SHAPE
    ldi 1
    st store_shape_seen
    jmp next
ST_STRIDE:
    fields ST_STRIDE
    ldi 1
    st store_stride_seen
    jmp next
ST_QUANT:
    fields ST_QUANT
    ld ST_QUANT.zero_point
    rsb ST_QUANT.low
    st low
    ld ST_QUANT.zero_point
    rsb ST_QUANT.high
    st high
    ldi 1
    st quant_seen
    jmp next
ST_TILE:
    fields ST_TILE
    ldi 1
    st store_tile_seen
    jmp next
ST_MARK:
    ldi 3
    out Phase
    fields ST_MARK
    wait Write
    out Mark
    jmp next

no_store_words:
    ldi 2
    err NOT_CONFIGURED
store_deadlock:
    ldi 4
    err DEADLOCK
store_kernel_count:
    ld ST_TILE.last_kernels
    err KERNEL_COUNT
store_sums:
    in AccWords
    max STORE.acc_base
    err ACC_RANGE
store_params:
    in ParamGroups
    max ST_TILE.param_base
    err PARAM_RANGE
STORE:
    fields STORE
    ldi 3
    out Phase
    ld address_seen
    jz no_store_words
    ld store_shape_seen
    jz no_store_words
    ld quant_seen
    jz no_store_words
    ld store_tile_seen
    jz no_store_words
    ld store_stride_seen
    jnz store_strided
    ld ST_SHAPE.inner
    add ST_SHAPE.outer
    addi -2
    jnz no_store_words
store_strided:
    ld STORE.wait_compute
    jz store_took
    ld compute_to_store
    jz store_deadlock
    addi -1
    st compute_to_store
store_took:
    in AtomicK
    rsb ST_TILE.last_kernels
    jz store_fits
    jge store_kernel_count
store_fits:
    ld ST_TILE.pixels
    muli ST_TILE.groups
    add STORE.acc_base
    st temp
    in AccWords
    rsb temp
    jz store_sums_there
    jge store_sums
store_sums_there:
    ld ST_TILE.param_base
    add ST_TILE.groups
    st temp
    in ParamGroups
    rsb temp
    jz store_params_there
    jge store_params
store_params_there:
    ld ST_TILE.param_base
    st temp
    in ParamStep
    muli temp
    addi parameters
    st parameter
    ld ST_ADDRESS.address
    st row
    st segment
    out StoreAddress
    ld ST_SHAPE.segment_bytes
    out StoreBytes
    ld ST_SHAPE.inner
    st inner
    ld ST_SHAPE.outer
    st outer
    ld ST_TILE.pixels
    st store_pixels
    ld STORE.acc_base
    st word
    wait Run
store_pixel:
    ld parameter
    out Setp
    ld word
    st sums
    addi 1
    st word
    ld ST_TILE.groups
    st groups
store_group:
    ld sums
    out Sums
    add ST_TILE.pixels
    st sums
    ld groups
    addi -1
    st groups
    jz store_last_group
    in AtomicK
    jmp store_kernels_known
store_last_group:
    ld ST_TILE.last_kernels
store_kernels_known:
    out Setm
store_kernel:
    ld [p]
    out Setn
    in Sum
    add [p]
    shl
    abs
    mul [p]
    shr
    addci 0
    sgn
    min high
    max low
    add ST_QUANT.zero_point
    je store_segment_end
store_byte:
    out Byte
    djm store_kernel
    ld groups
    jnz store_group
    ld store_pixels
    addi -1
    st store_pixels
    jnz store_pixel
    je store_whole
store_short:
    ldi 2
    err STORE_LENGTH
store_whole:
    ld inner
    add outer
    addi -2
    jnz store_short
    ld STORE.post_compute
    jz store_post_load
    ld store_to_compute
    addi 1
    st store_to_compute
    addi -256
    jz store_compute_overflow
store_post_load:
    ld STORE.post_load
    jz next
    wait Write
    ld store_to_load
    addi 1
    st store_to_load
    addi -256
    jnz next
    ldi 16
    err TOKEN_OVERFLOW
store_compute_overflow:
    ldi 8
    err TOKEN_OVERFLOW
store_segment_end:
    st value
    ld inner
    addi -1
    st inner
    jz store_row_end
    ld segment
    add ST_STRIDE.inner_stride
    st segment
    jmp store_next_segment
store_row_end:
    ld ST_SHAPE.inner
    st inner
    ld outer
    addi -1
    st outer
    jz store_long
    ld row
    add ST_STRIDE.outer_stride
    st row
    st segment
store_next_segment:
    out StoreAddress
    ld ST_SHAPE.segment_bytes
    out StoreBytes
    ld value
    jmp store_byte
store_long:
    ldi 1
    err STORE_LENGTH
