/*
 * oneDNN 2.6 builds a hash map of a primitive's arguments in every execute: about seven
 * nodes of at most 104 bytes, through C++'s operator new. A training step is to allocate
 * nothing, so this file replaces operator new and delete for the program (which C++
 * allows) and serves what is asked for between enter and leave from fixed slots. Any
 * other request goes to malloc as before.
 */
#ifndef GAIT_ENGINE_ONEDNN_NEW_H
#define GAIT_ENGINE_ONEDNN_NEW_H

void onednn_new_enter(void); /* on the calling thread, until onednn_new_leave() */
void onednn_new_leave(void);

#endif
