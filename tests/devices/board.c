/* Standard input and output of a BBC micro:bit: the serial line of its nRF51. */
#include <stdint.h>
#include <stdio.h>

#define REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))
#define UART(offset) REGISTER(0x40002000u + (offset))

enum {
    START_RX = 0x000,
    START_TX = 0x008,
    RX_READY = 0x108,
    TX_READY = 0x11C,
    INTERRUPT_ON = 0x304,
    ENABLE = 0x500,
    RX = 0x518,
    TX = 0x51C
};

/* The processor's own: its interrupts are named by bits, and the serial line's is the third. */
#define LET_THROUGH REGISTER(0xE000E100u)
#define NOT_PENDING REGISTER(0xE000E280u)
enum { SERIAL_LINE = 1 << 2 };

static void switch_on(void) {
    if (UART(ENABLE) == 4)
        return;
    UART(ENABLE) = 4;
    __asm__ volatile("cpsid i"); /* an interrupt wakes it, and calls nobody */
    LET_THROUGH = SERIAL_LINE;
    UART(INTERRUPT_ON) = 1 << 2; /* when a byte has come */
    UART(START_RX) = 1;
    UART(START_TX) = 1;
}

static int put_byte(char byte, FILE *file) {
    (void)file;
    switch_on();
    UART(TX_READY) = 0;
    UART(TX) = (uint8_t)byte;
    while (!UART(TX_READY))
        continue;
    return (uint8_t)byte;
}

static int get_byte(FILE *file) {
    (void)file;
    switch_on();
    while (!UART(RX_READY))
        __asm__ volatile("wfi"); /* asleep: a board that spins keeps a core of ours busy */
    UART(RX_READY) = 0; /* before the byte is taken: the next one sets it again */
    NOT_PENDING = SERIAL_LINE;
    return (int)(UART(RX) & 0xFF);
}

static FILE line = FDEV_SETUP_STREAM(put_byte, get_byte, NULL, _FDEV_SETUP_RW);
FILE *const stdin = &line;
FILE *const stdout = &line;
FILE *const stderr = &line;

void _exit(int status) __attribute__((noreturn));
void _exit(int status) {
    (void)status;
    for (;;) /* a board has nowhere to return to */
        continue;
}
